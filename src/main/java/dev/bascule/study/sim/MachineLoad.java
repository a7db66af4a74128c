package dev.bascule.study.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Virtual machines: virtual CPUs that compute and pause, exponentially, forever. A machine is a task class. There are no
 * jobs. One thread.
 */
public final class MachineLoad implements SimLoad {
    private static final double BURST_NANOS = 2_000_000;
    private static final double PAUSE_NANOS = 500_000;

    private final int machines;
    private final int virtualCpus;
    private final SplittableRandom random;

    /** So many machines with so many virtual CPUs each, bursts of 2 ms and pauses of 0.5 ms (mean, chosen). */
    public MachineLoad(int machines, int virtualCpus, long seed) {
        if (machines < 1 || machines > 256 || virtualCpus < 1 || virtualCpus > 1024) {
            throw new IllegalArgumentException("machines: " + machines + " of " + virtualCpus
                    + " virtual CPUs; 1 to 256 of 1 to 1,024");
        }
        this.machines = machines;
        this.virtualCpus = virtualCpus;
        random = new SplittableRandom(seed);
    }

    /** Share of its time that a virtual CPU wants to compute. */
    public static double share() {
        return BURST_NANOS / (BURST_NANOS + PAUSE_NANOS);
    }

    /** Mean time from one burst of a virtual CPU to its next, if it need not wait, ns. */
    public static double cycleNanos() {
        return BURST_NANOS + PAUSE_NANOS;
    }

    @Override
    public List<Resident> residents() {
        List<Resident> all = new ArrayList<>();
        for (int i = 0; i < machines * virtualCpus; i++) {
            all.add(new Resident(i / virtualCpus, 0, -1));
        }
        return all;
    }

    private long exponential(double mean) {
        return 1 + (long) (-StrictMath.log(1 - random.nextDouble()) * mean);
    }

    @Override
    public long burstNanos(int resident) {
        return exponential(BURST_NANOS);
    }

    @Override
    public long pauseNanos(int resident) {
        return exponential(PAUSE_NANOS);
    }
}
