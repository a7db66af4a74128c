package dev.bascule.host;

import org.jspecify.annotations.Nullable;

/**
 * How an upgrade of an agent ended.
 *
 * @param agent its number
 * @param gapNanos time without an agent: from the fence that voids the old agent's decisions until the host sees the new
 *        one ready, or gives it up, ns; 0 if it never took over and the old one went on without a break
 * @param steps where that time went; null if it did not take over, or runs by the clock of another machine
 * @param failure why the new agent did not take over; null if it did
 */
public record Upgrade(int agent, long gapNanos, @Nullable Steps steps, @Nullable String failure) {
    /**
     * The time without an agent, step by step, ns.
     *
     * @param fenceNanos the host voids what the old agent decided and opens the new one's epoch
     * @param noticeNanos until the new one sees it
     * @param attachNanos until that holds its place
     * @param roundNanos its first round: it reads all tasks and decides
     * @param seenNanos until the host sees that
     */
    public record Steps(long fenceNanos, long noticeNanos, long attachNanos, long roundNanos, long seenNanos) {}
}
