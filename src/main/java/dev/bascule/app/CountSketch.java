package dev.bascule.app;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A count sketch whose rows are updated by sampling: each of the rows takes each item with probability p, drawn as
 * geometric skips so that most items cost nothing, and adds 1/p. Estimates stay unbiased. Source: Charikar et al. (count
 * sketch); Liu et al., NitroSketch, SIGCOMM'19. Not thread-safe.
 */
public final class CountSketch {
    private final int rows;
    private final int mask;
    private final double probability;
    private final double weight;
    private final double[] counts;
    private final SplittableRandom random;
    private long skip;
    private long updates;

    /**
     * @param rows independent estimates, odd
     * @param width counters per row, a power of two
     * @param probability with which a row takes an item, above 0, at most 1
     * @param seed of the sampling
     */
    public CountSketch(int rows, int width, double probability, long seed) {
        if (rows < 1 || rows % 2 == 0 || width < 1 || Integer.bitCount(width) != 1 || !(probability > 0)
                || probability > 1) {
            throw new IllegalArgumentException("sketch of " + rows + " rows of " + width + " with probability "
                    + probability + "; an odd number of rows, a power of two, 0 < p <= 1");
        }
        this.rows = rows;
        this.mask = width - 1;
        this.probability = probability;
        this.weight = 1 / probability;
        this.counts = new double[rows * width];
        this.random = new SplittableRandom(seed);
        this.skip = nextSkip();
    }

    /** Counts one item by its hash. */
    void add(int hash) {
        long left = rows;
        while (skip < left) { // the row of the next sample is one of this item's
            int row = rows - (int) left + (int) skip;
            update(row, hash);
            left -= skip + 1;
            skip = nextSkip();
        }
        skip -= left;
    }

    private void update(int row, int hash) {
        int mixed = mix(hash, row);
        counts[row * (mask + 1) + (mixed & mask)] += mixed < 0 ? -weight : weight;
        updates++;
    }

    /** How often an item was counted, about. */
    double estimate(int hash) {
        double[] each = new double[rows];
        for (int row = 0; row < rows; row++) {
            int mixed = mix(hash, row);
            double count = counts[row * (mask + 1) + (mixed & mask)];
            each[row] = mixed < 0 ? -count : count;
        }
        Arrays.sort(each);
        return each[rows / 2];
    }

    /** Counters touched so far. */
    public long updates() {
        return updates;
    }

    private long nextSkip() {
        if (probability == 1) {
            return 0;
        }
        return (long) (Math.log(1 - random.nextDouble()) / Math.log(1 - probability));
    }

    private static int mix(int hash, int row) {
        long mixed = (hash + row * 0x9E37_79B9L) * 0xBF58_476D_1CE4_E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D0_49BB_1331_11EBL;
        return (int) (mixed >>> 31);
    }
}
