package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;

/**
 * Time stamps: 32 bits of the cycle counter, big endian, at a byte offset of the first flit of each outgoing packet; on
 * an incoming packet the same field is replaced by the counter minus its content. Offsets count modulo 64; of a field
 * that would run over the end of the flit (61 to 63) the hardware keeps only the part that wraps to its start.
 */
final class Timestamper {
    private boolean enabled;
    private int start;

    void configure(boolean enable, long offset) {
        enabled = enable;
        int inFlit = (int) offset & EnsoFormats.FLIT_BYTES - 1;
        start = inFlit > EnsoFormats.FLIT_BYTES - EnsoFormats.TIMESTAMP_BYTES
                ? inFlit - EnsoFormats.FLIT_BYTES
                : inFlit;
    }

    /** Stamps an outgoing packet whose first flit starts {@code packet}. */
    void transmit(byte[] packet, long cycle) {
        if (enabled) {
            put(packet, (int) cycle);
        }
    }

    /** Replaces the stamp of an incoming packet by the round-trip time in cycles. */
    void receive(byte[] packet, long cycle) {
        if (enabled) {
            put(packet, (int) cycle - get(packet));
        }
    }

    private int get(byte[] packet) {
        int value = 0;
        for (int i = 0; i < EnsoFormats.TIMESTAMP_BYTES; i++) {
            int at = start + i;
            value = value << 8 | (at < 0 ? 0 : packet[at] & 0xFF);
        }
        return value;
    }

    private void put(byte[] packet, int value) {
        for (int i = 0; i < EnsoFormats.TIMESTAMP_BYTES; i++) {
            int at = start + i;
            if (at >= 0) {
                packet[at] = (byte) (value >>> (8 * (EnsoFormats.TIMESTAMP_BYTES - 1 - i)));
            }
        }
    }
}
