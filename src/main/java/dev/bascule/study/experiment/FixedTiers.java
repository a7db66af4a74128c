package dev.bascule.study.experiment;

import dev.bascule.agent.TierPolicy;

/**
 * Baseline for {@link dev.bascule.policy.TieringAgent}: every batch is scanned at one fixed interval, and one that was
 * idle for some scans is cold. It neither learns nor has a safeguard. Thread rule: one thread. Errors:
 * {@link IllegalArgumentException} for a number below 1.
 */
public final class FixedTiers implements TierPolicy {
    private final int interval;
    private final int coldScans;
    private final int[] idleScans;

    /** Scans every {@code interval} periods; {@code coldScans} idle ones in a row make a batch cold; both at least 1. */
    public FixedTiers(int batches, int interval, int coldScans) {
        if (batches < 1 || interval < 1 || coldScans < 1) {
            throw new IllegalArgumentException("fixed tiers: " + batches + " batches, every " + interval
                    + " periods, cold after " + coldScans + " scans; all must be above 0");
        }
        this.interval = interval;
        this.coldScans = coldScans;
        idleScans = new int[batches];
    }

    @Override
    public int scanned(int batch, int accessedPages) {
        idleScans[batch] = accessedPages > 0 ? 0 : Math.min(coldScans, idleScans[batch] + 1);
        return interval;
    }

    @Override
    public boolean isCold(int batch) {
        return idleScans[batch] >= coldScans;
    }

    @Override
    public boolean observe(double slowShare) {
        return false;
    }
}
