package dev.bascule.cli;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RoundRobinAgent;
import dev.bascule.registry.Durations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Policies that do what none should. */
public final class BadPolicies {
    private static final long HEALTHY_NANOS = 1_000_000;

    private BadPolicies() {}

    /** Reads all messages and never decides. */
    public static final class Never implements Agent {
        @Override
        public void reset(Enclave enclave) {}

        @Override
        public int doWork(Enclave enclave) {
            int work = 0;
            for (; enclave.peek() != null; work++) {
                enclave.consume();
            }
            return work;
        }
    }

    /** Throws after a while, every time. */
    public static final class Thrower implements Agent {
        private final FifoAgent good = new FifoAgent();

        @Override
        public void reset(Enclave enclave) {
            good.reset(enclave);
        }

        @Override
        public int doWork(Enclave enclave) {
            if (enclave.now() > HEALTHY_NANOS) {
                throw new IllegalStateException("broken policy");
            }
            return good.doWork(enclave);
        }
    }

    /** Calls itself for ever. */
    public static final class Recursion implements Agent {
        @Override
        public void reset(Enclave enclave) {}

        @Override
        public int doWork(Enclave enclave) {
            return enclave.now() > HEALTHY_NANOS ? doWork(enclave) + 1 : 0;
        }
    }

    /** Keeps more and more. */
    public static final class Hoarder implements Agent {
        private final FifoAgent good = new FifoAgent();
        private final List<long[]> kept = new ArrayList<>();

        @Override
        public void reset(Enclave enclave) {
            good.reset(enclave);
        }

        @Override
        public int doWork(Enclave enclave) {
            while (enclave.now() > HEALTHY_NANOS) {
                kept.add(new long[1 << 20]);
            }
            return good.doWork(enclave);
        }
    }

    /** Decides well, and makes garbage in every round. */
    public static final class Litterer implements Agent {
        private final FifoAgent good = new FifoAgent();
        private byte[] garbage = {};

        @Override
        public void reset(Enclave enclave) {
            good.reset(enclave);
        }

        @Override
        public int doWork(Enclave enclave) {
            garbage = new byte[16 << 10];
            return good.doWork(enclave) + (garbage[0] & 1);
        }
    }

    /** In turns, of 20 us where its option is {@link #BEST_NANOS}, and longer the farther it is off by factors. */
    public static final class Planted implements Agent {
        public static final double BEST_NANOS = 37_000;

        private final RoundRobinAgent turns;

        public Planted(Map<String, String> options) {
            double off = Math.abs(Math.log(Durations.parseNanos(options.getOrDefault("knob", "1ms")) / BEST_NANOS));
            turns = new RoundRobinAgent(Math.round(20_000 * Math.exp(2 * Math.min(off, 4))));
        }

        @Override
        public void reset(Enclave enclave) {
            turns.reset(enclave);
        }

        @Override
        public int doWork(Enclave enclave) {
            return turns.doWork(enclave);
        }
    }

    /** First in, first out, but it never takes a task out of its queue. */
    public static final class Twice extends QueueAgent {
        private TaskQueue queue = new TaskQueue(0);

        @Override
        protected void clear(EnclaveShape shape) {
            queue = new TaskQueue(shape.tasks());
        }

        @Override
        protected void enqueue(int task) {
            queue.addLast(task);
        }

        @Override
        protected void remove(int task) {
            queue.remove(task);
        }

        @Override
        protected int pick(int cpu) {
            return queue.peekFirst();
        }
    }

    /** Fair to all but one. */
    public static final class Forgetful extends QueueAgent {
        private final int forgotten;
        private TaskQueue queue = new TaskQueue(0);

        /** Forgets the first of 200 workers that gets a job. */
        public Forgetful() {
            this(199);
        }

        /** Forgets this task. */
        public Forgetful(int forgotten) {
            this.forgotten = forgotten;
        }

        @Override
        protected void clear(EnclaveShape shape) {
            queue = new TaskQueue(shape.tasks());
        }

        @Override
        protected void enqueue(int task) {
            if (task != forgotten) {
                queue.addLast(task);
            }
        }

        @Override
        protected void remove(int task) {
            queue.remove(task);
        }

        @Override
        protected int pick(int cpu) {
            return takeFirst(queue, cpu);
        }

        @Override
        protected long sliceNanos(int task) {
            return 1_000_000;
        }
    }

    /** Asks for ever. */
    public static final class Looper implements Agent {
        @Override
        public void reset(Enclave enclave) {}

        @Override
        public int doWork(Enclave enclave) {
            while (enclave.now() > HEALTHY_NANOS) {
                enclave.peek();
            }
            return 0;
        }
    }

    /** Loops for ever and calls nothing. */
    public static final class Mute implements Agent {
        private long count;
        private long rounds;
        private volatile boolean isOver;

        /** Lets a loop in this process end. */
        public void end() {
            isOver = true;
        }

        @Override
        public void reset(Enclave enclave) {}

        @Override
        public int doWork(Enclave enclave) {
            while (rounds++ > 0 && enclave.now() > HEALTHY_NANOS && count >= 0 && !isOver) {
                for (long i = 0; i >= 0 && !isOver; i++) {
                    count = i;
                }
            }
            return 0;
        }
    }

    /** Cannot be made by its name. */
    public static final class NeedsMore implements Agent {
        /** With an argument. */
        public NeedsMore(int argument) {
            throw new IllegalArgumentException(Integer.toString(argument));
        }

        @Override
        public void reset(Enclave enclave) {}

        @Override
        public int doWork(Enclave enclave) {
            return 0;
        }
    }
}
