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
        if (lengthBytes > 0) {
            sum += memory.get(ValueLayout.JAVA_BYTE, offset);
        }
        return lengthBytes;
    }

    /** Packets seen. */
    public long packets() {
        return packets;
    }

    /** Sum of the first byte of each packet: that it was read. */
    public long sum() {
        return sum;
    }
}
