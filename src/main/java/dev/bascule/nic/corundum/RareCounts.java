package dev.bascule.nic.corundum;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Counts of rare events of a queue. Written by the queue's thread, read by any (opaque: no order, no tearing). */
final class RareCounts {
    /** Completions of frames from before the queue was started anew. */
    private final AtomicLong stale = new AtomicLong();
    /** Received frames beyond the port's limit. */
    private final AtomicLong tooLong = new AtomicLong();
    /** Times the card was found to have used every buffer it was given: what came then is lost, and counted nowhere. */
    private final AtomicLong ranDry = new AtomicLong();

    void addStale() {
        stale.setOpaque(stale.getOpaque() + 1);
    }

    void addTooLong() {
        tooLong.setOpaque(tooLong.getOpaque() + 1);
    }

    void addRanDry() {
        ranDry.setOpaque(ranDry.getOpaque() + 1);
    }

    /** Puts all that can happen to a receive queue under {@code prefix_name}, adding to what is there. */
    void addReceivedTo(Map<String, Long> statistics, String prefix) {
        addTo(statistics, prefix);
        statistics.merge(prefix + "_too_long", tooLong.getOpaque(), Long::sum);
        statistics.merge(prefix + "_ran_dry", ranDry.getOpaque(), Long::sum);
    }

    /** Puts all that can happen to a transmit queue under {@code prefix_name}, adding to what is there. */
    void addTo(Map<String, Long> statistics, String prefix) {
        statistics.merge(prefix + "_stale", stale.getOpaque(), Long::sum);
    }
}
