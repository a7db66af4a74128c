package dev.bascule.study.experiment;

import dev.bascule.agent.memory.PageSource;
import java.util.SplittableRandom;

/**
 * Pages in batches of 64 that are accessed as a Poisson process each, most of them hardly ever, some often; every now
 * and then some of them change. A made-up trace: no published one was at hand. The same seed gives the same accesses,
 * whatever is moved. Thread rule: one thread. Allocates nothing after construction.
 */
final class PageTrace implements PageSource {
    private static final int PAGES = 64;

    private final Shape shape;
    private final SplittableRandom random;
    private final double[] rate;
    private final long[] accessed;
    private final boolean[] slow;
    private long slowAccesses;
    private long accesses;
    private int period;

    /**
     * Pattern of accesses: what is accessed how often.
     *
     * @param batches batches of 64 pages
     * @param hotShare share of batches that are hot
     * @param hotPerPeriod accesses of a hot batch in a period, mean
     * @param coldPerPeriod the same of the others
     * @param driftPeriods after so many periods some batches draw anew
     * @param driftShare share of batches that do
     */
    public record Shape(int batches, double hotShare, double hotPerPeriod, double coldPerPeriod, int driftPeriods,
            double driftShare) {
        /** Checks the ranges. */
        public Shape {
            if (batches < 1 || !(hotShare >= 0 && hotShare <= 1) || !(hotPerPeriod >= 0 && hotPerPeriod <= 500)
                    || !(coldPerPeriod >= 0 && coldPerPeriod <= 500) || driftPeriods < 1
                    || !(driftShare >= 0 && driftShare <= 1)) {
                throw new IllegalArgumentException("page trace: " + batches + " batches, " + hotShare + " of them hot, "
                        + hotPerPeriod + " and " + coldPerPeriod + " accesses a period, drift of " + driftShare
                        + " every " + driftPeriods + " periods; shares are 0 to 1, accesses at most 500");
            }
        }

        /** 15 % hot, 30 and 0.002 accesses a period, a twentieth changes every 50 periods. */
        public static Shape of(int batches) {
            return new Shape(batches, 0.15, 30, 0.002, 50, 0.05);
        }
    }

    /** Before the first period. */
    public PageTrace(Shape shape, long seed) {
        this.shape = shape;
        random = new SplittableRandom(seed);
        rate = new double[shape.batches()];
        accessed = new long[shape.batches()];
        slow = new boolean[shape.batches()];
        drift(1);
    }

    /** The next period: everything is accessed as often as it is. */
    public void advance() {
        if (++period % shape.driftPeriods() == 0) {
            drift(shape.driftShare());
        }
        for (int batch = 0; batch < rate.length; batch++) {
            int count = poisson(rate[batch]);
            for (int i = 0; i < count; i++) {
                accessed[batch] |= 1L << random.nextInt(PAGES);
            }
            accesses += count;
            slowAccesses += slow[batch] ? count : 0;
        }
    }

    private void drift(double share) {
        for (int batch = 0; batch < rate.length; batch++) {
            if (random.nextDouble() < share) {
                rate[batch] = random.nextDouble() < shape.hotShare() ? shape.hotPerPeriod() : shape.coldPerPeriod();
            }
        }
    }

    private int poisson(double mean) {
        double limit = StrictMath.exp(-mean);
        double product = 1 - random.nextDouble();
        int count = 0;
        while (product > limit) {
            product *= 1 - random.nextDouble();
            count++;
        }
        return count;
    }

    @Override
    public long takeAccessed(int batch) {
        long bits = accessed[batch];
        accessed[batch] = 0;
        return bits;
    }

    @Override
    public boolean move(int batch, boolean toSlow) {
        slow[batch] = toSlow;
        return true;
    }

    @Override
    public long slowAccesses() {
        return slowAccesses;
    }

    @Override
    public boolean isCounted() {
        return true;
    }

    @Override
    public long accesses() {
        return accesses;
    }
}
