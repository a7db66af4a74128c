package dev.bascule.wave.rpc;

import dev.bascule.nic.PacketHeaders;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A hash of who talks to whom, from a frame: IP addresses and the ports behind them, else the stations. One thread. */
final class FrameFlow {
    private static final int STATIONS_BYTES = 12;

    private final PacketHeaders headers = new PacketHeaders();

    /** The hash; the same for every frame of a flow. */
    int hash(MemorySegment memory, long offset, int lengthBytes) {
        headers.read(memory, offset, lengthBytes);
        if (headers.network() != PacketHeaders.NONE) {
            return headers.flowHash();
        }
        return lengthBytes < STATIONS_BYTES
                ? 0
                : mix(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)
                        ^ memory.get(ValueLayout.JAVA_INT_UNALIGNED, offset + 8));
    }

    private static int mix(long value) {
        long mixed = (value ^ value >>> 32) * 0x9e37_79b9_7f4a_7c15L;
        return (int) (mixed >>> 32);
    }
}
