package dev.bascule.host;

import com.sun.management.ThreadMXBean;
import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.ForwardingAgentEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.Transaction;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * Heap bytes that a policy allocates in its rounds, by itself: what the agent's end allocates meanwhile is not counted,
 * as that depends on what the compiler has made of it so far. One thread.
 */
final class PolicyHeap {
    /** Bytes of this thread so far; a virtual machine that cannot count has none. */
    private final LongSupplier allocated = ManagementFactory.getThreadMXBean() instanceof ThreadMXBean counting
            ? counting::getCurrentThreadAllocatedBytes
            : () -> 0;
    private long bytes;
    private long since;
    private boolean isInRound;

    /** Bytes so far. */
    long bytes() {
        return bytes;
    }

    private void resume() {
        since = allocated.getAsLong();
    }

    private void pause() {
        if (isInRound) {
            bytes += allocated.getAsLong() - since;
        }
    }

    /** The policy, counted; its end is to be {@link #end}. */
    Agent policy(Agent policy) {
        return new Agent() {
            @Override
            public String name() {
                return policy.name();
            }

            @Override
            public void reset(Enclave enclave) {
                policy.reset(enclave);
            }

            @Override
            public int doWork(Enclave enclave) {
                isInRound = true;
                resume();
                int work = policy.doWork(enclave);
                pause();
                isInRound = false;
                return work;
            }
        };
    }

    /** An end in which nothing counts. */
    AgentEnd end(AgentEnd end) {
        return new Uncounted(end);
    }

    private final class Uncounted extends ForwardingAgentEnd {
        private OutcomeSink policys = (cpu, number, identity, outcome) -> {};
        private final OutcomeSink counted = (cpu, number, identity, outcome) -> {
            resume();
            policys.settled(cpu, number, identity, outcome);
            pause();
        };

        Uncounted(AgentEnd end) {
            super(end);
        }

        @Override
        public boolean peek(Message into) {
            pause();
            boolean isThere = end.peek(into);
            resume();
            return isThere;
        }

        @Override
        public void consume() {
            pause();
            end.consume();
            resume();
        }

        @Override
        public int barrier() {
            pause();
            int barrier = end.barrier();
            resume();
            return barrier;
        }

        @Override
        public int room(int cpu) {
            pause();
            int room = end.room(cpu);
            resume();
            return room;
        }

        @Override
        public boolean stage(int cpu, Transaction transaction) {
            pause();
            boolean isStaged = end.stage(cpu, transaction);
            resume();
            return isStaged;
        }

        @Override
        public void commit() {
            pause();
            end.commit();
            resume();
        }

        @Override
        public boolean withdraw(int cpu) {
            pause();
            boolean isWithdrawn = end.withdraw(cpu);
            resume();
            return isWithdrawn;
        }

        @Override
        public int outcomes(OutcomeSink sink) {
            pause();
            policys = sink;
            int all = end.outcomes(counted);
            resume();
            return all;
        }

        @Override
        public int outcomes(int firstCpu, int count, OutcomeSink sink) {
            pause();
            policys = sink;
            int all = end.outcomes(firstCpu, count, counted);
            resume();
            return all;
        }
    }
}
