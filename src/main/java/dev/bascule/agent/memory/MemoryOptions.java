package dev.bascule.agent.memory;

/**
 * Limits that the host sets a memory agent.
 *
 * @param batches batches of pages, 1 to 16,777,216
 * @param expiryPeriods scan periods after which an observation is too old to decide about, and a batch without a
 *     decision is scanned again
 * @param silentPeriods periods without any decision after which the host goes on alone
 * @param mostMoves batches that may be demoted in one period
 * @param mostSlowShare share of accesses that may go to slow memory; above it the safeguard acts
 * @param holdPeriods periods without demotions after the safeguard acted
 */
public record MemoryOptions(int batches, int expiryPeriods, int silentPeriods, int mostMoves, double mostSlowShare,
        int holdPeriods) {
    /** Checks the ranges. */
    public MemoryOptions {
        if (batches < 1 || batches > 1 << 24 || expiryPeriods < 1 || silentPeriods < expiryPeriods || mostMoves < 1
                || !(mostSlowShare > 0) || holdPeriods < 1) {
            throw new IllegalArgumentException("memory agent: " + batches + " batches, observations expire after "
                    + expiryPeriods + " periods, silent after " + silentPeriods + ", at most " + mostMoves
                    + " moves and a slow share of " + mostSlowShare + ", hold for " + holdPeriods
                    + "; batches up to 16,777,216, all above 0, silent not before expiry");
        }
    }

    /** Observations expire after 4 periods, silence after 16; a sixteenth may move in a period; 2 % slow; hold for 4. */
    public static MemoryOptions of(int batches) {
        return new MemoryOptions(batches, 4, 16, Math.max(1, batches / 16), 0.02, 4);
    }

    /** With another share of slow accesses. */
    public MemoryOptions withMostSlowShare(double share) {
        return new MemoryOptions(batches, expiryPeriods, silentPeriods, mostMoves, share, holdPeriods);
    }

    /** With another limit of moves. */
    public MemoryOptions withMostMoves(int moves) {
        return new MemoryOptions(batches, expiryPeriods, silentPeriods, moves, mostSlowShare, holdPeriods);
    }
}
