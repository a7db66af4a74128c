package dev.bascule.study.compare;

import java.util.Arrays;

/**
 * Since when each CPU has been free, by two clocks: what a user of the CPU waits, and what the agent is held to. In the
 * second, times in which the host's own thread had no core do not count.
 */
final class CpuWaits {
    private final long[] freeNanos;
    private final long[] pausedNanos;

    CpuWaits(int cpus) {
        freeNanos = new long[cpus];
        pausedNanos = new long[cpus];
    }

    /** The CPU is free from now on. */
    void free(int cpu, long now) {
        freeNanos[cpu] = now;
        pausedNanos[cpu] = 0;
    }

    /** All are. */
    void freeAll(long now) {
        Arrays.fill(freeNanos, now);
        Arrays.fill(pausedNanos, 0);
    }

    /** The host's own thread stood still for so long. */
    void paused(long nanos) {
        for (int cpu = 0; cpu < pausedNanos.length; cpu++) {
            pausedNanos[cpu] += nanos;
        }
    }

    /** How long the CPU has been free, whoever is to blame, ns. */
    long waited(int cpu, long now) {
        return Math.max(0, now - freeNanos[cpu]);
    }

    /** The wait without the host's own pauses, ns. */
    long held(int cpu, long now) {
        return Math.max(0, now - freeNanos[cpu] - pausedNanos[cpu]);
    }
}
