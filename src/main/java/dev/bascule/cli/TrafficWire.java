package dev.bascule.cli;

import dev.bascule.model.WireEnd;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A station at the far end of a loopback card's cable: sends a frame again and again, at a rate or, without one, as fast
 * as its frames come back, and counts what it gets. The sums may be read by any thread.
 */
final class TrafficWire implements WireEnd {
    /** Frames on their way without a rate: what the card's receive FIFO holds of short ones, and more. */
    private static final int WINDOW = 512;
    /** Without an answer for so long, frames on their way are taken to be lost. */
    private static final long LOST_NANOS = 10_000_000;

    private final byte[] frame;
    private final double packetsPerNano;
    private final long limit;
    private final long startNanos = System.nanoTime();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong returned = new AtomicLong();
    private final AtomicLong returnedElsewhere;
    private long lost;
    private long lastReturned;
    private long lastChangeNanos = startNanos;

    /**
     * @param packetsPerSecond 0 for as fast as they come back
     * @param limit frames after which it stops, 0 for none
     * @param other the wire at whose end the frames come out, null for this one
     */
    TrafficWire(byte[] frame, long packetsPerSecond, long limit, @org.jspecify.annotations.Nullable TrafficWire other) {
        this.frame = frame;
        this.packetsPerNano = packetsPerSecond / 1e9;
        this.limit = limit == 0 ? Long.MAX_VALUE : limit;
        this.returnedElsewhere = other == null ? returned : other.returned;
    }

    @Override
    public boolean transmit(byte[] data, int offset, int lengthBytes) {
        returned.setRelease(returned.getPlain() + 1);
        return true;
    }

    @Override
    public int poll(FrameSink sink, int budget) {
        long before = sent.getPlain();
        int count = (int) Math.min(Math.min(budget, limit - before), due(before));
        for (int i = 0; i < count; i++) {
            sink.frame(frame, 0, frame.length);
        }
        sent.setRelease(before + count);
        return Math.max(0, count);
    }

    private long due(long before) {
        if (packetsPerNano != 0) {
            return (long) ((System.nanoTime() - startNanos) * packetsPerNano) - before;
        }
        long back = returnedElsewhere.getAcquire();
        long room = WINDOW - (before - lost - back);
        if (room > 0) {
            lastReturned = back;
            return room;
        }
        long now = System.nanoTime();
        if (back != lastReturned) {
            lastReturned = back;
            lastChangeNanos = now;
        } else if (now - lastChangeNanos > LOST_NANOS) {
            lost = before - back;
            lastChangeNanos = now;
        }
        return 0;
    }

    /** Frames sent. */
    long sent() {
        return sent.getAcquire();
    }

    /** Frames that came out here. */
    long returned() {
        return returned.getAcquire();
    }
}
