package dev.bascule.agent;

import dev.bascule.memory.Window;

/**
 * Tracks what one thread of a host has stored for its agents since the last fence. Threads that share a window share
 * this too.
 * <p>
 * Thread rule: one thread.
 */
public final class Outgoing {
    private final Window window;
    private final TransportCounters counters;
    private boolean dirty;

    /** With the window of the stores, and where fences are counted. */
    public Outgoing(Window window, TransportCounters counters) {
        this.window = window;
        this.counters = counters;
    }

    /** Notes that something was stored. */
    public void touch() {
        dirty = true;
    }

    /** Fences what was stored since the last call, if anything was. */
    public void commit() {
        if (dirty) {
            dirty = false;
            counters.fences++;
            window.writeFence(); // partner: the agent's acquire of a line's first word and its digest
        }
    }
}
