package dev.bascule.bench;

import java.lang.foreign.Arena;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the variants of a workload in turn on two pinned threads, in windows of about a millisecond, round after round.
 * The calling thread is the first side. A window in which one of them had no core for a while is left out: on a machine
 * that others use as well it took up to 9,500 ns a message on the ring, where the same code in the windows between took
 * 2.1 to 21 ns (see {@link RingWorkload}).
 */
final class PairRunner implements AutoCloseable {
    private static final int PROBE_COUNT = 400;
    private static final long SMALLEST_COUNT = 32;
    private static final int WARM_UP_ROUNDS = 60;
    private static final int QUIET_ROUNDS = 20;
    private static final long REST_MILLIS = 4;
    private static final int PROBE_TRIES = 8;
    /** Without a core for more than this part of a window: the window is left out. */
    private static final double MOST_DELAY = 0.01;

    private final List<Variant> variants;
    private final long windowNanos;
    private final double[] estimate;
    private final long[] started;
    private final Baton baton = new Baton();
    private final RunDelays delays = new RunDelays();
    private boolean crowded;

    /**
     * Pins the calling thread and starts the other.
     *
     * @param windowNanos aimed length of a window
     */
    PairRunner(List<Variant> variants, Twins twins, List<Integer> cpus, long windowNanos) {
        this.variants = new ArrayList<>(variants);
        this.variants.add(probe(twins));
        this.windowNanos = windowNanos;
        this.estimate = new double[this.variants.size()];
        this.started = new long[this.variants.size()];
        java.util.Arrays.fill(estimate, 1_000);
        Cpus.pin(cpus.get(0));
        delays.join();
        Thread.ofPlatform().daemon().name("bench-second").start(() -> {
            Cpus.pin(cpus.get(1));
            delays.join();
            baton.serve();
        });
    }

    private static Variant probe(Twins twins) {
        if (twins.available()) {
            var memory = Arena.global().allocate(4096, 4096);
            return new Variant("probe", "tight", twins.side("ping", memory, 0, 0), twins.side("pong", memory, 0, 0));
        }
        Lines lines = new Lines(0);
        return new Variant("probe", "tight", lines::ping, lines::pong);
    }

    /**
     * Runs rounds until the code is compiled: nothing was for a while, or {@code mostNanos} are over. Rests between
     * rounds, since the two spinning threads may hold all CPUs that the compiler could have.
     */
    void warmUp(long mostNanos) throws InterruptedException {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        long end = System.nanoTime() + mostNanos;
        long compiled = -1;
        int quiet = 0;
        for (int round = 0; System.nanoTime() - end < 0 && (round < WARM_UP_ROUNDS || quiet < QUIET_ROUNDS); round++) {
            run(0);
            Thread.sleep(REST_MILLIS);
            long now = compiler.getTotalCompilationTime();
            quiet = now == compiled ? quiet + 1 : 0;
            compiled = now;
        }
    }

    /** Measures for about {@code nanos}, in whole rounds, at least one. */
    List<Round> run(long nanos) {
        List<Round> rounds = new ArrayList<>();
        long end = System.nanoTime() + nanos;
        double before = probe();
        while (rounds.isEmpty() || System.nanoTime() - end < 0) {
            double[] ns = new double[variants.size() - 1];
            for (int v = 0; v < ns.length; v++) {
                long count = Math.max(SMALLEST_COUNT, (long) (windowNanos / estimate[v]));
                double found = window(v, count);
                ns[v] = crowded ? Double.NaN : found;
                estimate[v] = found; // the next window is short if the machine is busy
            }
            double after = probe();
            rounds.add(new Round(ns, before, after));
            before = after;
        }
        return rounds;
    }

    /** Tried again while a thread has no core; NaN if it never had one. */
    private double probe() {
        for (int tries = 0; tries < PROBE_TRIES; tries++) {
            double ns = window(variants.size() - 1, PROBE_COUNT);
            if (!crowded) {
                return ns;
            }
        }
        return Double.NaN;
    }

    /** Nanoseconds per operation of one window; notes whether a side had no core in it. */
    private double window(int v, long count) {
        Variant variant = variants.get(v);
        long delayed = delays.nanos();
        long start = started[v];
        started[v] = start + count;
        long from = System.nanoTime();
        baton.hand(variant.second(), start, count);
        long sum = variant.first().run(start, count);
        long until = System.nanoTime();
        long otherSum = baton.await();
        if (sum != otherSum) {
            throw new IllegalStateException(
                    "data differs between the sides of " + variant.group() + " (" + variant.pace()
                            + "): " + sum + " and " + otherSum);
        }
        long without = delays.nanos() - delayed;
        crowded = without > MOST_DELAY * (until - from);
        return (double) (until - from) / count;
    }

    @Override
    public void close() {
        baton.stop();
        delays.close();
    }

    /**
     * One window per variant, next to each other in time.
     *
     * @param nsPerOp by index of the variant; NaN: left out, a side had no core
     * @param probeBefore round trip of a line in ns before the first window; NaN: unknown
     * @param probeAfter the same after the last
     */
    record Round(double[] nsPerOp, double probeBefore, double probeAfter) {}
}
