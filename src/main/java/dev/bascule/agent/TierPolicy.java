package dev.bascule.agent;

/**
 * Policy of a memory-management agent: how soon a batch of pages is to be scanned again, and whether it belongs into
 * slow memory. Knows no transport. Thread rule: one thread. Allocates nothing after construction.
 */
public interface TierPolicy {
    /**
     * A batch was scanned.
     *
     * @param batch its number, from 0 on
     * @param accessedPages pages of it that were accessed since its last scan
     * @return scan periods until its next scan, at least 1
     */
    int scanned(int batch, int accessedPages);

    /** Whether the batch belongs into slow memory. */
    boolean isCold(int batch);

    /**
     * How the last period went.
     *
     * @param slowShare share of all accesses that went to slow memory, 0 to 1
     * @return whether the policy's own safeguard acted
     */
    boolean observe(double slowShare);
}
