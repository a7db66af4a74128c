package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;
import java.util.Arrays;

/**
 * Between the TX engine and the wire: the rate limiter says when each flit may leave, packets are collected whole,
 * stamped, padded to Ethernet's shortest frame as the card's Ethernet core does, and handed over. With the limiter on, flits take their slots one after the other from the moment they are
 * there, so the schedule does not depend on how often the model is asked to work.
 */
final class Egress implements FlitSink {
    /** The longest packet an IPv4 length can announce, rounded up to flits. */
    private static final int MAX_PACKET_BYTES = (0xFFFF + 14 + EnsoFormats.FLIT_BYTES) / EnsoFormats.FLIT_BYTES
            * EnsoFormats.FLIT_BYTES;

    /** Without check sequence. */
    private static final int SHORTEST_BYTES = 60;

    private final RateLimiter limiter;
    private final Timestamper timestamper;
    private final CycleClock clock;
    private final WireSink wire;
    private final byte[] packet = new byte[MAX_PACKET_BYTES];
    private int length;
    private boolean busy;
    private long nextSlot;

    Egress(RateLimiter limiter, Timestamper timestamper, CycleClock clock, WireSink wire) {
        this.limiter = limiter;
        this.timestamper = timestamper;
        this.clock = clock;
        this.wire = wire;
    }

    void reset() {
        length = 0;
        busy = false;
    }

    @Override
    public boolean ready() {
        long now = clock.cycles();
        if (!busy || !limiter.enabled()) {
            nextSlot = Math.max(nextSlot, now);
            busy = true;
        }
        nextSlot = limiter.nextAllowed(nextSlot);
        return nextSlot <= now;
    }

    @Override
    public void flit(boolean startOfPacket, boolean endOfPacket, byte[] flit, int validBytes) {
        if (startOfPacket) {
            length = 0;
        }
        System.arraycopy(flit, 0, packet, length, EnsoFormats.FLIT_BYTES);
        length += validBytes;
        long slot = nextSlot;
        if (limiter.enabled()) {
            nextSlot = slot + 1;
        }
        if (endOfPacket) {
            timestamper.transmit(packet, slot);
            if (length < SHORTEST_BYTES) {
                Arrays.fill(packet, length, SHORTEST_BYTES, (byte) 0);
                length = SHORTEST_BYTES;
            }
            wire.frame(packet, length, slot);
        }
    }

    @Override
    public void idle() {
        busy = false;
    }

    /** When the flit that waits may leave, or {@link RateLimiter#NEVER} when none waits. */
    long nextWorkCycle() {
        return busy && limiter.enabled() ? nextSlot : RateLimiter.NEVER;
    }
}
