package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;

/**
 * Weighted fair sharing, after Linux's CFS: the task that has received the least of its share runs next. A nice level is
 * worth a factor of 1.25, as there. The slice is the task's share of the latency target, but at least the minimal
 * granularity; defaults of ghOSt's CFS policy are 10 ms and 1 ms.
 */
public final class CfsAgent extends KeyedAgent {
    private static final double NICE_STEP = 1.25;

    private final long latencyNanos;
    private final long granularityNanos;
    private final double[] scale = new double[40];
    private long[] virtual = {};
    private long[] seenRuntime = {};
    private int[] nice = {};
    private double[] weight = {};
    private double allWeight;
    private int cpus = 1;
    private long floor;

    /** With ghOSt's defaults. */
    public CfsAgent() {
        this(10_000_000, 1_000_000);
    }

    /** With a latency target and a minimal granularity, ns. */
    public CfsAgent(long latencyNanos, long granularityNanos) {
        if (granularityNanos < 1 || latencyNanos < granularityNanos) {
            throw new IllegalArgumentException("cfs: latency " + latencyNanos + " ns, granularity " + granularityNanos
                    + " ns; 1 <= granularity <= latency");
        }
        this.latencyNanos = latencyNanos;
        this.granularityNanos = granularityNanos;
        for (int level = 0; level < scale.length; level++) {
            scale[level] = StrictMath.pow(NICE_STEP, level - 20);
        }
    }

    @Override
    protected void clear(EnclaveShape shape) {
        super.clear(shape);
        virtual = new long[shape.tasks()];
        seenRuntime = new long[shape.tasks()];
        nice = new int[shape.tasks()];
        weight = new double[shape.tasks()];
        allWeight = 0;
        cpus = shape.cpus();
        floor = 0;
    }

    @Override
    protected void observe(Message message) {
        MessageType type = message.type();
        if (type == null || type.code() >= MessageType.CPU_TICK.code()) {
            return;
        }
        int task = message.task();
        nice[task] = Math.clamp(message.nice(), -20, 19);
        allWeight -= weight[task];
        if (type == MessageType.TASK_NEW) {
            seenRuntime[task] = message.runtimeNanos();
            virtual[task] = floor;
        }
        boolean isActive = (message.flags() & (Message.RUNNABLE | Message.ONCPU)) != 0;
        weight[task] = isActive ? 1 / scale[nice[task] + 20] : 0;
        allWeight += weight[task];
        long ran = message.runtimeNanos() - seenRuntime[task];
        seenRuntime[task] = message.runtimeNanos();
        virtual[task] += (long) (Math.max(0, ran) * scale[nice[task] + 20]);
    }

    /** The key of a task that wakes: it does not claim the time that it slept through. */
    @Override
    long key(int task) {
        virtual[task] = Math.max(virtual[task], floor - latencyNanos);
        return virtual[task];
    }

    @Override
    void picked(int task) {
        floor = Math.max(floor, virtual[task]);
    }

    @Override
    protected long sliceNanos(int task) {
        double share = weight[task] * cpus / Math.max(weight[task], allWeight);
        return Math.max(granularityNanos, (long) (latencyNanos * Math.min(1, share)));
    }
}
