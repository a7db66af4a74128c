package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** move_pages on this very process. */
class ProcessMemoryTest {
    private static final int PAGES = 5;
    /** No machine has so many. */
    private static final int NO_NODE = 1000;

    private static MemorySegment touched(Arena arena) {
        MemorySegment memory = Libc.map(arena, PAGES * Libc.pageSizeBytes(), Linux.PROT_READ | Linux.PROT_WRITE,
                Linux.MAP_PRIVATE | Linux.MAP_ANONYMOUS, null, 0, "memory of a test");
        memory.fill((byte) 1);
        return memory;
    }

    /** The kernel refuses the first page's node and looks at none of them. */
    @Test
    void aCallThatEndsEarlyLeavesNothingOfTheOneBefore() {
        Assumptions.assumeTrue(Libc.effectiveUserId() == 0, "moving pages takes CAP_SYS_NICE: run as root");
        Assumptions.assumeTrue(Files.exists(Path.of("/sys/devices/system/node/node0")), "a kernel without NUMA");
        try (Arena arena = Arena.ofConfined();
                HeldProcess own = Objects.requireNonNull(HeldProcess.open(ProcessHandle.current().pid()));
                ProcessMemory memory = new ProcessMemory(own)) {
            MemorySegment pages = touched(arena);
            int node = NumaPolicy.nodeOf(pages);
            memory.add(pages.address(), (1L << PAGES) - 1);
            assertThat(memory.move(node)).isZero();
            assertThat(statuses(memory)).containsOnly(node);
            assertThat(memory.move(NO_NODE)).isEqualTo(Errno.ENODEV);
            assertThat(statuses(memory)).as("after a call that did nothing").containsOnly(ProcessMemory.NOT_TRIED);
            assertThat(memory.ask()).isZero();
            assertThat(statuses(memory)).as("asked").containsOnly(node);
        }
    }

    private static int[] statuses(ProcessMemory memory) {
        int[] all = new int[PAGES];
        for (int n = 0; n < PAGES; n++) {
            all[n] = memory.status(n);
        }
        return all;
    }
}
