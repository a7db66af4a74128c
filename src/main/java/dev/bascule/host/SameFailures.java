package dev.bascule.host;

import org.jspecify.annotations.Nullable;

/**
 * Failures of a policy that look the same but for their numbers. Another agent with the same policy would fail as well, so
 * after some in a row none is started. Thread rule: one thread.
 */
final class SameFailures {
    /** In a row, and no more. */
    static final int MOST = 4;

    private @Nullable String last;
    private int count;

    /**
     * Another agent has failed; returns whether that was one too many.
     *
     * @param how the policy's failure in words; null: it was not the policy's
     */
    boolean add(@Nullable String how) {
        String same = how == null ? null : how.replaceAll("\\d+", "#");
        count = same == null ? 0 : same.equals(last) ? count + 1 : 1;
        last = same;
        return count >= MOST;
    }
}
