package dev.bascule.agent;

import org.jspecify.annotations.Nullable;

/**
 * The host's end of a transport: the seam behind which Wave's queues, plain coherent memory and the bilateral swap are
 * exchanged. Calls come in the pair write-then-{@link #commit}: nothing is promised to be visible before the commit.
 * <p>
 * Thread rule: what names a CPU touches that CPU's own windows and lines: {@link #want}, {@link #poll}, {@link #settle},
 * {@link #abandon}, {@link #isKicked}, {@link #enterSleep}, {@link #leaveSleep}, {@link #commit(int)} and
 * {@link #status(int)} run beside those of other CPUs and beside {@link #post} and {@link #commit()}. Each of these two
 * groups is called by one thread at a time, a CPU's calls too. Everything else runs alone, but for {@link #sleep}.
 * <p>
 * Errors: full queues and damaged lines are numbers in {@link #counters}, never exceptions.
 */
public interface MechanismEnd extends AutoCloseable {
    /** The size of the enclave. */
    EnclaveShape shape();

    /** The agent's current epoch, 1 to 65,535. */
    int epoch(int agent);

    /** That of the first agent: the only one of many an enclave. */
    default int epoch() {
        return epoch(0);
    }

    /**
     * Writes a message to an agent's channel.
     *
     * @return false if the channel is full; the caller counts it and calls {@link #requestResync(int)}
     */
    boolean post(int agent, Message message);

    /** Makes the messages posted since the last call visible to the agents: one fence, and a doorbell for sleepers. */
    void commit();

    /** Makes what was written for one CPU visible: outcomes, and what it wants. */
    default void commit(int cpu) {}

    /**
     * Says that the CPU will soon need a decision, so that the transport can overlap its latency: Wave prefetches the
     * transaction line, the swap makes its offer. Calling it again is harmless.
     */
    void want(int cpu);

    /**
     * Takes the next decision for the CPU, if one has arrived whole. Each decision is taken once, in the order in which
     * the agent staged them, and must be answered with {@link #settle}.
     */
    boolean poll(int cpu, Transaction into);

    /** Answers a decision taken by {@link #poll}; the agent learns the outcome after {@link #commit(int)}. */
    void settle(Transaction decision, Outcome outcome);

    /** The host decided by itself for this CPU; a transport with an open offer takes it back. */
    void abandon(int cpu);

    /** Whether an interrupt for this CPU came since its last {@link #poll}. Cheap: one load of host memory. */
    boolean isKicked(int cpu);

    /**
     * Sleeps until an interrupt for the CPU, or the time is over. Looks once more at the decision line before it
     * sleeps, so that a lost interrupt costs at most the time-out. For hosts with one thread; one whose CPUs are
     * threads makes the three calls itself, the second without any lock.
     *
     * @return whether there is a reason to poll
     */
    default boolean await(int cpu, long timeoutNanos) {
        boolean woken = enterSleep(cpu) || sleep(cpu, timeoutNanos);
        leaveSleep(cpu);
        return woken;
    }

    /**
     * First part of {@link #await}: says that the CPU sleeps from now on and looks once more. A transport without
     * interrupts keeps the default: its CPUs poll.
     *
     * @return whether there is a reason to poll instead of sleeping
     */
    default boolean enterSleep(int cpu) {
        return true;
    }

    /**
     * Second part of {@link #await}: waits for the CPU's interrupt or the time to be over. Touches nothing that another
     * thread of the host uses, so it may run beside any other call.
     *
     * @return whether the interrupt came
     */
    default boolean sleep(int cpu, long timeoutNanos) {
        return false;
    }

    /** Last part of {@link #await}: the CPU is awake. */
    default void leaveSleep(int cpu) {}

    /** Tells an agent that it missed messages and has to read the status words. */
    void requestResync(int agent);

    /**
     * Called about every millisecond, off the hot path: repeats what a faulty link may have lost, so that nobody waits
     * for it forever.
     */
    void tick();

    /**
     * Fences the agent of the current epoch and opens its next: its decisions, whenever they arrive, are void. A new agent
     * attaches to the new epoch. Other agents are not touched.
     *
     * @return the new epoch
     * @throws AgentException if 65,535 epochs are used up; start the host on a new region
     */
    int openEpoch(int agent);

    /**
     * Why this end cannot go on without fencing the agent, in words for the operator; null if it can. Asked about every
     * millisecond.
     */
    default @Nullable String trouble(int agent) {
        return null;
    }

    /** Whether the agent has attached to its current epoch and finished its start. */
    boolean isReady(int agent);

    /** Whether the agent of the current epoch has said that it goes: {@link AgentEnd#leave}. */
    default boolean hasLeft(int agent) {
        return false;
    }

    /** Whether another agent stands beside the one at work and takes over as soon as the next epoch is open. */
    default boolean hasSuccessor(int agent) {
        return false;
    }

    /** The agent that stood beside the one at work is gone without a word: its place is free for another. */
    default void dropSuccessor(int agent) {}

    /** Whether the agent of the epoch before waits, fenced, to go on if this epoch's does not get to work. */
    default boolean isPredecessorWaiting(int agent) {
        return false;
    }

    /** The take-over from the agent before, as an agent that is ready tells it; null if it did not. */
    default @Nullable TakeOver takeOver(int agent) {
        return null;
    }

    /** A number that the agent raises in every round of work; it stands still when the agent hangs or is gone. */
    long heartbeat(int agent);

    /** The writer of the status words. */
    StatusTable status();

    /** The status table for one CPU's thread. */
    default StatusTable status(int cpu) {
        return status();
    }

    /** Damage and pressure seen by this end. */
    TransportCounters counters();

    /** Asks the agents to exit and releases the memory. */
    @Override
    void close();
}
