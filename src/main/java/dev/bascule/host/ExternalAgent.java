package dev.bascule.host;

import org.jspecify.annotations.Nullable;

/**
 * An agent that is started elsewhere, or not at all, and outlives its host: {@code bascule agent --attach DIR --stay}. The
 * host only fences it; it attaches again by itself. Until one has, the host's own policy decides.
 */
public final class ExternalAgent implements AgentSupervisor {
    private final @Nullable LinkWatch link;

    /** Of which nothing is known but its heartbeat: without that it is fenced. */
    public ExternalAgent() {
        this(null);
    }

    /** That counts as ended, at once, when its connection is lost; it comes back by another one, in the next epoch. */
    ExternalAgent(@Nullable LinkWatch link) {
        this.link = link;
    }

    /** By somebody else, whenever they like. */
    @Override
    public void start() {
        if (link != null) {
            link.nextEpoch();
        }
    }

    @Override
    public boolean hasExited() {
        return link != null && link.isLost();
    }

    @Override
    public void kill() {
        // not ours
    }

    /** Without limit: it may be started hours later. */
    @Override
    public long startLimitNanos() {
        return Long.MAX_VALUE;
    }

    @Override
    public String exitReport() {
        return link == null ? "" : link.reason();
    }

    @Override
    public void close() {
        // the region says that the host has ended
    }
}
