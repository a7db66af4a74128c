package dev.bascule.host;

import org.jspecify.annotations.Nullable;

/**
 * How an upgrade of the agents ended.
 *
 * @param gapNanos time without an agent: from the fence that voids the old agents' decisions until the host sees the new
 *        ones ready, or gives them up, ns; 0 if they never took over and the old ones went on without a break
 * @param failure why the new agents did not take over; null if they did
 */
public record Upgrade(long gapNanos, @Nullable String failure) {}
