package dev.bascule.app;

import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Processor that reads and writes words of other memory, anywhere in it, before it sends a frame on as it came: the
 * caches that a function of the network with tables of its own leaves to the driver. One thread.
 */
final class NoisyNeighbour implements PacketProcessor {
    private static final long LINE_BYTES = 64;

    private final MemorySegment memory;
    private final long lines;
    private final int accesses;
    private long random = 1;

    NoisyNeighbour(long bytes, int accesses) {
        lines = Math.max(1, bytes / LINE_BYTES);
        memory = Arena.ofAuto().allocate(lines * LINE_BYTES, LINE_BYTES);
        this.accesses = accesses;
    }

    @Override
    public int process(MemorySegment frame, long offset, int lengthBytes) {
        for (int i = 0; i < accesses; i++) {
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
            long at = Long.remainderUnsigned(random, lines) * LINE_BYTES;
            memory.set(ValueLayout.JAVA_LONG, at, memory.get(ValueLayout.JAVA_LONG, at) + 1);
        }
        return lengthBytes;
    }
}
