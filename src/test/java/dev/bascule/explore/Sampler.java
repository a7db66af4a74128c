package dev.bascule.explore;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Chance in the place of an enumeration, in two ways. By priorities with change points (PCT, Burckhardt et al., ASPLOS
 * 2010): the thread of the highest priority runs, and at {@code depth - 1} accesses drawn beforehand the running one
 * gets the lowest; a fault that needs {@code depth} of its accesses in order is met with a probability of at least
 * {@code 1 / (n k^(depth - 1))}, of n threads and k accesses. By partial orders (POS, Yuan et al., CAV 2018): each
 * pending access has a priority of its own, drawn anew when one that it races with has been made.
 */
final class Sampler {
    static final int MOST_DEPTH = 8;
    private static final int MOST_THREADS = 16;
    /**
     * Accesses after which a run goes on by the default, which is fair: two that look in turn may keep a third waiting
     * for ever.
     */
    private static final int FAIR_AFTER = 5_000;

    private final SplittableRandom random;
    private final double[] priorities = new double[MOST_THREADS];
    private int[] changes = {};
    private int nextChange;
    private int crashAt;
    private boolean byAccess;

    Sampler(long seed) {
        random = new SplittableRandom(seed);
    }

    /**
     * A run begins.
     *
     * @param depth of priorities with change points; 0: by partial orders
     * @param steps accesses that a run is expected to have
     */
    void begin(int depth, int steps) {
        byAccess = depth == 0;
        for (int i = 0; i < MOST_THREADS; i++) {
            priorities[i] = 1 + random.nextDouble();
        }
        changes = random.ints(Math.max(0, depth - 1), 1, steps + 1).sorted().toArray();
        nextChange = 0;
        crashAt = 1 + random.nextInt(steps);
    }

    /** Place of one of the first {@code most} options, which are of an access of {@code me} that follows. */
    int pick(int step, int me, int[] options, int most, long[] pending) {
        if (step > FAIR_AFTER) {
            return 0;
        }
        while (nextChange < changes.length && changes[nextChange] <= step) {
            priorities[me] = -nextChange; // below all, and below who fell before
            nextChange++;
        }
        int best = -1;
        for (int i = 0; i < most; i++) {
            if (options[i] == Explorer.CRASH) {
                if (step >= crashAt) {
                    return i;
                }
            } else if (best < 0 || priorities[thread(options[i], me)] > priorities[thread(options[best], me)]
                    || thread(options[i], me) == thread(options[best], me) && random.nextBoolean()) {
                best = i; // of one thread's options, with its predecessor's stores out or held, any
            }
        }
        if (byAccess) {
            made(thread(options[best], me), pending);
        }
        return best;
    }

    private void made(int thread, long[] pending) {
        long access = pending[thread];
        for (int other = 0; other < MOST_THREADS; other++) {
            boolean races = pending[other] >>> 1 == access >>> 1 && ((pending[other] | access) & 1) != 0;
            if (other == thread || access != 0 && races) {
                priorities[other] = 1 + random.nextDouble();
            }
        }
    }

    boolean holds() {
        return random.nextBoolean();
    }

    private static int thread(int option, int me) {
        return option == Choices.GO_ON ? me : option >> 1;
    }

    /** Probability, at least, that so many schedules meet a fault of that depth. */
    static double bound(long schedules, int threads, long steps, int depth) {
        return -Math.expm1(schedules * Math.log1p(-1 / (threads * Math.pow(steps, depth - 1.0))));
    }

    @Override
    public String toString() {
        return (byAccess ? "by accesses" : "changes at " + Arrays.toString(changes)) + ", crash at " + crashAt;
    }
}
