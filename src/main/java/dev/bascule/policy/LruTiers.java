package dev.bascule.policy;

import dev.bascule.agent.TierPolicy;

/**
 * Least recently used: batches are kept in fast memory by how long ago they were touched, as many as a share of all allows;
 * one that is younger than a scan is always kept. Every batch is scanned each period, so ages are in periods, as in the
 * kernel's own multi-generation lists. No learning, and no safeguard. Thread rule: one thread.
 */
public final class LruTiers implements TierPolicy {
    private static final int OLDEST = 64;

    private final double fastShare;
    private final byte[] age;
    private final int[] ofAge = new int[OLDEST + 1];
    private int known;
    private int coldFrom = 1;

    /**
     * @param batches most batches
     * @param fastShare share of the batches that may stay in fast memory, 0 to 1; those touched in a period stay beyond it
     */
    public LruTiers(int batches, double fastShare) {
        if (batches < 1 || !(fastShare >= 0 && fastShare <= 1)) {
            throw new IllegalArgumentException("LRU tiers: " + batches + " batches, a share of " + fastShare
                    + " in fast memory; batches must be above 0, the share 0 to 1");
        }
        this.fastShare = fastShare;
        age = new byte[batches];
        java.util.Arrays.fill(age, (byte) -1);
    }

    @Override
    public int scanned(int batch, int accessedPages) {
        int before = age[batch];
        if (before < 0) {
            known++;
        } else {
            ofAge[before]--;
        }
        int now = accessedPages > 0 || before < 0 ? 0 : Math.min(OLDEST, before + 1); // a new one gets a period's grace
        age[batch] = (byte) now;
        ofAge[now]++;
        return 1;
    }

    @Override
    public boolean isCold(int batch) {
        return age[batch] >= coldFrom;
    }

    @Override
    public boolean observe(double slowShare) {
        int kept = ofAge[0];
        int next = 1;
        while (next <= OLDEST && kept + ofAge[next] <= fastShare * known) {
            kept += ofAge[next++];
        }
        coldFrom = next;
        return false;
    }
}
