package dev.bascule.host.sim;

/**
 * One direction of a link, which all of its senders share: what leaves waits for the bytes before it. Senders are simulated
 * one after the other, each somewhat ahead of the next, so the lane knows the bytes that wait and not the time of each.
 * Credits are not modelled: a lane takes any number of bytes.
 * <p>
 * Thread rule: one thread, that of the simulated host.
 */
final class LinkLane {
    private double waitingBytes;
    private long lastNanos;

    /** So many bytes leave at {@code nowNanos}; returns how long those before them take, ns: the latency has their own. */
    long send(long nowNanos, int bytes, double bytesPerNano) {
        if (nowNanos > lastNanos) {
            waitingBytes = Math.max(0, waitingBytes - (nowNanos - lastNanos) * bytesPerNano);
            lastNanos = nowNanos;
        }
        long waits = (long) (waitingBytes / bytesPerNano);
        waitingBytes += bytes;
        return waits;
    }
}
