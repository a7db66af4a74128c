package dev.bascule.app;

import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Sends every packet back as it came, after looking at it and counting. */
public final class Echo implements PacketProcessor {
    private long packets;
    private long sum;

    /** With counters at zero. */
    public Echo() {}

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        packets++;
        sum += lengthBytes < Headers.IP + Long.BYTES
                ? 0
                : memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + Headers.IP);
        return lengthBytes;
    }

    /** Packets seen. */
    public long packets() {
        return packets;
    }

    /** Sum of one word of each packet: that it was read. */
    public long sum() {
        return sum;
    }
}
