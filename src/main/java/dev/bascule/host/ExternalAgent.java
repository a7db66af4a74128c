package dev.bascule.host;

/**
 * An agent that is started elsewhere, or not at all, and outlives its host: {@code bascule agent --attach DIR --stay}. The
 * host only fences it; it attaches again by itself. Until one has, the host's own policy decides.
 */
public final class ExternalAgent implements AgentSupervisor {
    @Override
    public void start() {
        // by somebody else, whenever they like
    }

    @Override
    public boolean hasExited() {
        return false; // not known; without a heartbeat it is fenced
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
        return "";
    }

    @Override
    public void close() {
        // the region says that the host has ended
    }
}
