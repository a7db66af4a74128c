package dev.bascule.study.sim;

/** Lines that each CPU has on their way, and since when. */
final class Prefetches {
    private static final int EACH = HostLoads.MOST_AT_ONCE;

    private final HostLoads loads;
    private final SimTime time;
    private final int[] lines;
    private final int[] count;
    private final long[] startedNanos;

    Prefetches(HostLoads loads, SimTime time, int cpus) {
        this.loads = loads;
        this.time = time;
        lines = new int[cpus * EACH];
        count = new int[cpus];
        startedNanos = new long[cpus];
    }

    /** The CPU may just have begun a prefetch: when it must be sampled. */
    long sampleDue(int cpu) {
        int begun = loads.takePrefetched(lines, cpu * EACH);
        if (begun == 0) {
            return EventTree.NEVER;
        }
        count[cpu] = begun;
        startedNanos[cpu] = time.nanoTime();
        return startedNanos[cpu] + (loads.readNanos() >> 1);
    }

    void sample(int cpu) {
        for (int i = 0; i < count[cpu]; i++) {
            loads.sample(lines[cpu * EACH + i]);
        }
    }

    /** A look at a line under way comes when it is there; any other look at half of its own round trip. */
    long lookAt(int cpu, long nanos) {
        return count[cpu] > 0
                ? Math.max(nanos, startedNanos[cpu] + loads.readNanos())
                : nanos + (loads.readNanos() >> 1);
    }

    /** Returns the moment whose memory the look sees. */
    long look(int cpu) {
        if (count[cpu] == 0) {
            loads.elapsed(loads.readNanos() >> 1);
            return time.nanoTime();
        }
        loads.elapsed(0);
        count[cpu] = 0;
        return startedNanos[cpu] + (loads.readNanos() >> 1);
    }
}
