package dev.bascule.study.sim;

/**
 * One direction of a link, which all of its senders share: posted writes, and what the other side asked for by reads. What
 * leaves waits for the bytes before it. The receiver has room for so many bytes that have not arrived (PCIe's credits); a
 * sender of more waits until there is room. Senders are simulated one after the other, each somewhat ahead of the next, so
 * the lane knows the bytes that wait and not the time of each.
 * <p>
 * Thread rule: one thread, that of the simulated host.
 */
final class LinkLane {
    private final double bytesPerNano;
    private final double creditBytes;
    private double waitingBytes;
    private long lastNanos;

    LinkLane(SimCosts.Link costs) {
        bytesPerNano = costs.dmaBytesPerNano();
        creditBytes = costs.creditBytes();
    }

    private void drain(long nowNanos) {
        if (nowNanos > lastNanos) {
            waitingBytes = Math.max(0, waitingBytes - (nowNanos - lastNanos) * bytesPerNano);
            lastNanos = nowNanos;
        }
    }

    /** How long a sender of so many bytes waits for credit, ns; 0 if there is room. */
    long stallNanos(long nowNanos, int bytes) {
        drain(nowNanos);
        double over = waitingBytes + bytes - creditBytes;
        return over <= 0 ? 0 : (long) Math.ceil(over / bytesPerNano);
    }

    /** So many bytes leave at {@code nowNanos}; returns how long those before them take, ns: the latency has their own. */
    long send(long nowNanos, int bytes) {
        drain(nowNanos);
        long waits = (long) (waitingBytes / bytesPerNano);
        waitingBytes += bytes;
        return waits;
    }
}
