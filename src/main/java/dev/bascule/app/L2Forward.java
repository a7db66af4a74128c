package dev.bascule.app;

import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;

/** Forwards on layer 2: swaps the MAC addresses and sends the packet back. Frames too short for that are dropped. */
public final class L2Forward implements PacketProcessor {
    /** Without state. */
    public L2Forward() {}

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        if (lengthBytes < Headers.IP) {
            return 0;
        }
        Headers.swapMacs(memory, offset);
        return lengthBytes;
    }
}
