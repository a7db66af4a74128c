package dev.bascule.wave.rpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A hash of who talks to whom, from a frame: IPv4 addresses and the ports behind them, else the Ethernet header. */
final class FrameFlow {
    private static final int ETHERNET_BYTES = 14;
    private static final int TYPE_AND_VERSION = 12;
    private static final int ADDRESSES = 26;
    private static final int SHORTEST = 42;

    private FrameFlow() {}

    /** The hash; the same for every frame of a flow. */
    static int hash(MemorySegment memory, long offset, int lengthBytes) {
        if (lengthBytes < ETHERNET_BYTES) {
            return 0;
        }
        boolean ipv4 = lengthBytes >= SHORTEST && memory.get(ValueLayout.JAVA_BYTE, offset + TYPE_AND_VERSION) == 8
                && memory.get(ValueLayout.JAVA_BYTE, offset + ETHERNET_BYTES) == 0x45;
        if (!ipv4) {
            return mix(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)
                    ^ memory.get(ValueLayout.JAVA_INT_UNALIGNED, offset + 8));
        }
        long addresses = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + ADDRESSES);
        return mix(addresses ^ (long) memory.get(ValueLayout.JAVA_INT_UNALIGNED, offset + ADDRESSES + 8) << 17);
    }

    private static int mix(long value) {
        long mixed = (value ^ value >>> 32) * 0x9e37_79b9_7f4a_7c15L;
        return (int) (mixed >>> 32);
    }
}
