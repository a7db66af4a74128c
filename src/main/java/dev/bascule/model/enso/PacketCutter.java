package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;

/**
 * Finds packets in the byte stream to be sent: the first flit of a packet tells its length (IPv4 total length + 14),
 * the next packet starts at the next 64-byte step. One state for all rings: what follows an unfinished packet is taken
 * as its continuation, wherever it comes from.
 */
final class PacketCutter {
    private static final int ETHERNET_HEADER_BYTES = 14;
    private static final int IP_LENGTH_OFFSET = 16;

    private boolean inPacket;
    private int pendingBytes;

    void reset() {
        inPacket = false;
        pendingBytes = 0;
    }

    /** Whether {@code flit} starts a packet; afterwards {@link #take} must follow. */
    boolean startsPacket() {
        return !inPacket;
    }

    /** Takes the next flit; the result is the number of its bytes in the packet, negative when the packet goes on. */
    int take(byte[] flit) {
        if (!inPacket) {
            pendingBytes = Bytes.networkU16(flit, IP_LENGTH_OFFSET) + ETHERNET_HEADER_BYTES;
        }
        inPacket = pendingBytes > EnsoFormats.FLIT_BYTES;
        if (inPacket) {
            pendingBytes -= EnsoFormats.FLIT_BYTES;
            return -EnsoFormats.FLIT_BYTES;
        }
        return pendingBytes;
    }
}
