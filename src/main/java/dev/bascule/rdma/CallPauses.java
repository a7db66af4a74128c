package dev.bascule.rdma;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * When a host calls an address again where nobody has answered: soon at first, and ever more seldom, so that a host
 * without an agent costs its machine next to nothing. Times as of {@link System#nanoTime}.
 * <p>
 * Thread rule: {@link #endAll} by any thread, the rest by the one that calls.
 */
final class CallPauses {
    private static final long FIRST_NANOS = 20_000_000;
    private static final long LONGEST_NANOS = 500_000_000;

    private final Map<InetSocketAddress, Pause> pauses = new ConcurrentHashMap<>();

    private record Pause(long fromNanos, long nanos) {}

    boolean isDue(InetSocketAddress peer, long now) {
        Pause pause = pauses.get(peer);
        return pause == null || now - pause.fromNanos >= pause.nanos;
    }

    /** Nobody was there, or none who is wanted. */
    void failed(InetSocketAddress peer, long now) {
        pauses.compute(peer, (key, last) -> new Pause(now,
                last == null ? FIRST_NANOS : Math.min(2 * last.nanos, LONGEST_NANOS)));
    }

    /** Somebody was there, and is called at once when it has gone. */
    void answered(InetSocketAddress peer) {
        pauses.remove(peer);
    }

    /** All are due, and called soon again. */
    void endAll() {
        pauses.clear();
    }
}
