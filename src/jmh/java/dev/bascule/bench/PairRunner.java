package dev.bascule.bench;

import java.lang.foreign.Arena;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the variants of a workload in turn on two pinned threads, in windows of about a millisecond, round after round.
 * The calling thread is the first side.
 */
final class PairRunner implements AutoCloseable {
    private static final int PROBE_COUNT = 400;
    private static final long SMALLEST_COUNT = 32;
    private static final int WARM_UP_ROUNDS = 60;
    private static final int QUIET_ROUNDS = 20;
    private static final long REST_MILLIS = 4;

    private final List<Variant> variants;
    private final long windowNanos;
    private final double[] estimate;
    private final long[] started;
    private final Baton baton = new Baton();

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
        Thread.ofPlatform().daemon().name("bench-second").start(() -> {
            Cpus.pin(cpus.get(1));
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
                ns[v] = window(v, count);
                estimate[v] = ns[v];
            }
            double after = probe();
            rounds.add(new Round(ns, before, after));
            before = after;
        }
        return rounds;
    }

    private double probe() {
        return window(variants.size() - 1, PROBE_COUNT);
    }

    /** Nanoseconds per operation of one window. */
    private double window(int v, long count) {
        Variant variant = variants.get(v);
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
        return (double) (until - from) / count;
    }

    @Override
    public void close() {
        baton.stop();
    }

    /**
     * One window per variant, next to each other in time.
     *
     * @param nsPerOp by index of the variant
     * @param probeBefore round trip of a line in ns before the first window
     * @param probeAfter the same after the last
     */
    record Round(double[] nsPerOp, double probeBefore, double probeAfter) {}
}
