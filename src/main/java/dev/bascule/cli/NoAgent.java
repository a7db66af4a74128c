package dev.bascule.cli;

import dev.bascule.host.AgentSupervisor;

/**
 * Nobody decides but the host: its built-in policy takes the oldest runnable task. That is what delegating is measured
 * against. The host still writes its messages, which nobody reads. Chosen like a transport, to stand beside them.
 */
final class NoAgent implements AgentSupervisor {
    /** As a name on the command line and in the results. */
    static final String NAME = "no-agent";

    @Override
    public void start() {
        // there is none
    }

    @Override
    public boolean hasExited() {
        return false;
    }

    @Override
    public void kill() {
        // there is none
    }

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
        // there is none
    }
}
