package dev.bascule.agent;

/**
 * Policy code: decides which task runs on which CPU. The same object runs on host cores, on NIC cores and in virtual
 * time; it never sees a transport.
 * <p>
 * Most policies extend {@link QueueAgent}, which keeps the books; implement this interface directly for full control.
 * <p>
 * Thread rule: all calls come from one thread. A policy that throws is replaced by whoever runs it, and named with the line that threw.
 */
public interface Agent {
    /** Forget everything: TASK_NEW follows for every live task. Called at the start and after lost messages. */
    void reset(Enclave enclave);

    /** Name of the policy in messages: its class, unless it stands around another one. */
    default String name() {
        return getClass().getName();
    }

    /** One round: read messages and outcomes, stage decisions, {@link Enclave#commit}. Returns the work found. */
    int doWork(Enclave enclave);
}
