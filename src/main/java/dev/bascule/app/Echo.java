package dev.bascule.app;

import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Sends every packet back as it came, after looking at it. */
public final class Echo implements PacketProcessor {
    private byte last;

    /** Has seen nothing. */
    public Echo() {}

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        if (lengthBytes > 0) {
            last = memory.get(ValueLayout.JAVA_BYTE, offset); // kept, not summed: a sum waits for the packet before
        }
        return lengthBytes;
    }

    /** First byte of the last packet that had one: that it was read. */
    public byte last() {
        return last;
    }
}
