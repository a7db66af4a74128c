package dev.bascule.swap;

/**
 * When to send a line again on a link that loses messages: after a first interval, then at doubled intervals up to a
 * bound, until the swap ends. Sending again is always safe; not sending again only costs time. One thread.
 */
public final class Retransmission {
    private final long firstNanos;
    private final long longestNanos;
    private long intervalNanos;
    private long dueNanos;
    private boolean armed;

    public Retransmission(long firstNanos, long longestNanos) {
        if (firstNanos <= 0 || longestNanos < firstNanos) {
            throw new IllegalArgumentException("retransmission after " + firstNanos + " ns, at most " + longestNanos
                    + " ns: want 0 < first <= longest");
        }
        this.firstNanos = firstNanos;
        this.longestNanos = longestNanos;
    }

    /** A new line went out. */
    public void sent(long nowNanos) {
        intervalNanos = firstNanos;
        dueNanos = nowNanos + intervalNanos;
        armed = true;
    }

    /** Whether to send the last line again now; counts as sending it. */
    public boolean due(long nowNanos) {
        if (!armed || nowNanos - dueNanos < 0) {
            return false;
        }
        intervalNanos = Math.min(2 * intervalNanos, longestNanos);
        dueNanos = nowNanos + intervalNanos;
        return true;
    }

    /** Nothing is outstanding. */
    public void ended() {
        armed = false;
    }
}
