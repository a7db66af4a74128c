package dev.bascule.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** The data path must not allocate: 100,000 rounds of every window operation, 0 bytes. */
class WindowAllocationTest {
    private static final int ROUNDS = 100_000;
    private long sink;

    @Test
    void windowOperationsAllocateNothing() {
        try (Arena arena = Arena.ofShared()) {
            for (LinkProfile profile : new LinkProfile[] { LinkProfile.ZERO,
                    new LinkProfile(1, 1, 1, 1, 1, 1, 1, 1, 1) }) {
                LinkedMemory memory = LinkedMemory.allocate(arena, 8192, profile);
                MappedRanges ranges = new MappedRanges(arena.allocate(MappedRanges.BYTES, 8));
                ranges.map(0, 4096);
                for (MemoryType type : MemoryType.values()) {
                    assertAllocationFree(type + " " + profile, memory.host(type, 1));
                }
                assertAllocationFree("owner", memory.owner());
                assertAllocationFree("dma", memory.dma(ranges, 1));
            }
        }
        assertThat(sink).isNotZero();
    }

    private void assertAllocationFree(String name, Window window) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int pass = 0; pass < 4 && least != 0; pass++) { // the interpreter may allocate in the first pass
            long before = threads.getCurrentThreadAllocatedBytes();
            exercise(window);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).as("bytes allocated in %d rounds through %s", ROUNDS, name).isZero();
    }

    private void exercise(Window window) {
        long sum = 0;
        for (int i = 1; i <= ROUNDS; i++) {
            long offset = (i & 127) * 64L;
            window.storeRelease(offset, i);
            window.storeRelease(offset + 8, i);
            if ((i & 15) == 0) {
                window.writeFence();
            }
            window.prefetchLine(offset);
            window.invalidateLine(offset);
            if (window.arrived(offset)) {
                sum += window.loadAcquire(offset);
            }
        }
        sink += sum | 1;
    }
}
