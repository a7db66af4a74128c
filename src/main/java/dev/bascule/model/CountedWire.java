package dev.bascule.model;

import java.util.concurrent.atomic.AtomicLong;

/** A wire that counts. Thread rule: as {@link WireEnd}; the sums may be read by any thread. */
public final class CountedWire implements WireEnd {
    private final WireEnd wire;
    private final AtomicLong arrived = new AtomicLong();
    private final AtomicLong left = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    /** Counts what passes; owns the wire. */
    public CountedWire(WireEnd wire) {
        this.wire = wire;
    }

    @Override
    public boolean transmit(byte[] data, int offset, int lengthBytes) {
        boolean taken = wire.transmit(data, offset, lengthBytes);
        AtomicLong sum = taken ? left : refused;
        sum.setRelease(sum.getPlain() + 1);
        return taken;
    }

    @Override
    public int poll(FrameSink sink, int budget) {
        int count = wire.poll(sink, budget);
        if (count != 0) {
            arrived.setRelease(arrived.getPlain() + count);
        }
        return count;
    }

    @Override
    public boolean isUp() {
        return wire.isUp();
    }

    @Override
    public void check() {
        wire.check();
    }

    /** Frames that came out of it. */
    public long arrived() {
        return arrived.getAcquire();
    }

    /** Frames that it took. */
    public long left() {
        return left.getAcquire();
    }

    /** Frames that it refused, as the wire of port 0. */
    public Losses losses() {
        return losses(0);
    }

    /** Frames that it refused, as the wire of a port. */
    public Losses losses(int port) {
        return Losses.NONE.plus("wire of port " + port, "no room", refused.getAcquire());
    }

    @Override
    public void close() {
        wire.close();
    }
}
