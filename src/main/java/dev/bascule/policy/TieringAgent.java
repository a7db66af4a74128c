package dev.bascule.policy;

import dev.bascule.agent.TierPolicy;
import java.util.SplittableRandom;

/**
 * Decides which batches of pages belong into fast memory, from their access bits alone. How often a batch is scanned is
 * learnt by Thompson sampling: each scan interval is an arm, rewarded when a scan finds something new at little cost;
 * the posteriors are Beta distributions, as in SOL (ASPLOS'22). A batch that was idle for some scans is cold, one that
 * was touched is hot. {@link #byAge} counts the periods that idle scans stand for instead. The actuator's safeguard: when too many accesses go to slow memory, everything that is cold only
 * by old evidence comes back, and nothing is demoted for a while.
 * <p>
 * Knows no transport. Thread rule: one thread.
 */
public final class TieringAgent implements TierPolicy {
    /** Scan intervals in units of the shortest: the arms. */
    public static final int[] INTERVALS = { 1, 2, 4, 8, 16, 32 };

    /** By age, pages of a batch in use that make it hot at once: three quarters of one. */
    private static final int HOT_PAGES = 48;
    /** Else it is hot when it is in use for that many times as long as idle makes it cold. */
    private static final int HOT_AFTER = 4;

    private final SplittableRandom random;
    private final int coldScans;
    private final boolean isByAge;
    private final double mostSlowShare;
    private final int[][] wins;
    private final int[][] losses;
    private final int[] arm;
    private final int[] idleScans;
    /** Scans in a row that found it touched. */
    private final int[] usedScans;
    private final boolean[] cold;
    private int heldBack;

    /**
     * @param batches number of batches
     * @param coldScans idle scans in a row that make a batch cold, at least 1
     * @param mostSlowShare share of accesses that may go to slow memory, above 0
     */
    public TieringAgent(int batches, int coldScans, double mostSlowShare, long seed) {
        this(batches, coldScans, mostSlowShare, seed, false);
    }

    private TieringAgent(int batches, int coldScans, double mostSlowShare, long seed, boolean isByAge) {
        if (batches < 1 || coldScans < 1 || !(mostSlowShare > 0)) {
            throw new IllegalArgumentException("tiering: " + batches + " batches, cold after " + coldScans
                    + " scans, at most " + mostSlowShare + " slow accesses; all must be above 0");
        }
        random = new SplittableRandom(seed);
        this.coldScans = coldScans;
        this.isByAge = isByAge;
        this.mostSlowShare = mostSlowShare;
        wins = new int[batches][INTERVALS.length];
        losses = new int[batches][INTERVALS.length];
        arm = new int[batches];
        idleScans = new int[batches];
        usedScans = new int[batches];
        cold = new boolean[batches];
    }

    /**
     * One for which a batch is cold after a time instead of a number of scans: a scan after 8 periods that finds it idle
     * says that it was idle for 8. A batch that is not cold yet, idle or in use, is scanned again by the time at which it could
     * be, and not as late as a drawn interval says. So what nobody uses any more is cold within twice that many periods; with the other rule after
     * as many scans, whose intervals are drawn at random in the beginning.
     * <p>
     * A cold batch is hot again when three quarters of its pages are in use, or when four times as many scans in a row as idle
     * periods make it cold find some of it in use: to move 64 pages for a few that are touched costs more than it brings. Where
     * the few are too many for the safeguard, it brings them back.
     *
     * @param coldPeriods idle periods in a row that make a batch cold, at least 1
     * @param mostSlowShare as in the constructor
     */
    public static TieringAgent byAge(int batches, int coldPeriods, double mostSlowShare, long seed) {
        return new TieringAgent(batches, coldPeriods, mostSlowShare, seed, true);
    }

    @Override
    public int scanned(int batch, int accessedPages) {
        boolean touched = accessedPages > 0;
        boolean news = touched == idleScans[batch] > 0; // the batch does otherwise than last time
        int used = arm[batch];
        boolean tooLate = news && used > 0;
        boolean tooEarly = !news && used < INTERVALS.length - 1;
        if (tooLate || tooEarly) {
            losses[batch][used] = Math.min(40, losses[batch][used] + 1);
        } else {
            wins[batch][used] = Math.min(40, wins[batch][used] + 1);
        }
        int idle = idleScans[batch] + (isByAge ? INTERVALS[used] : 1);
        idleScans[batch] = touched ? 0 : idle;
        usedScans[batch] = touched ? Math.min(HOT_AFTER * coldScans, usedScans[batch] + 1) : 0;
        if (touched) {
            cold[batch] &= isByAge && accessedPages < HOT_PAGES && usedScans[batch] < HOT_AFTER * coldScans;
        } else if (idleScans[batch] >= coldScans && heldBack == 0) {
            cold[batch] = true;
        }
        arm[batch] = draw(batch, arms(batch));
        return INTERVALS[arm[batch]];
    }

    /** Intervals to choose from: by age only those after which the batch can be cold at the earliest. */
    private int arms(int batch) {
        int arms = INTERVALS.length;
        while (isByAge && arms > 1 && idleScans[batch] < coldScans
                && INTERVALS[arms - 1] > coldScans - idleScans[batch]) {
            arms--;
        }
        return arms;
    }

    private int draw(int batch, int arms) {
        int best = 0;
        double most = -1;
        for (int i = 0; arms > 1 && i < arms; i++) {
            double a = gamma(wins[batch][i] + 1);
            double sample = a / (a + gamma(losses[batch][i] + 1));
            if (sample > most) {
                most = sample;
                best = i;
            }
        }
        return best;
    }

    /** A Gamma variate with a whole shape. */
    private double gamma(int shape) {
        double product = 1;
        for (int i = 0; i < shape; i++) {
            product *= 1 - random.nextDouble();
        }
        return -StrictMath.log(product);
    }

    @Override
    public boolean isCold(int batch) {
        return cold[batch];
    }

    @Override
    public boolean observe(double slowShare) {
        if (slowShare <= mostSlowShare) {
            heldBack = Math.max(0, heldBack - 1);
            return false;
        }
        heldBack = 4;
        for (int batch = 0; batch < cold.length; batch++) {
            if (cold[batch] && idleScans[batch] < 2 * coldScans) {
                cold[batch] = false;
            }
        }
        return true;
    }
}
