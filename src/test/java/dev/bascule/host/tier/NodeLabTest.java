package dev.bascule.host.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NumaPolicy;
import dev.bascule.ffi.PinnedPage;
import dev.bascule.lab.Lab;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pages of this very process between two NUMA nodes. LabLane says how a machine with them is started. */
@Tag("lab")
class NodeLabTest {
    private static final int FAST = 0;
    private static final int SLOW = 1;
    private static final int SPANS = 6;
    private static final int MADV_NOHUGEPAGE = 15;

    @BeforeEach
    void isThere() {
        Lab.require();
        Assumptions.assumeTrue(Files.exists(Path.of("/sys/devices/system/node/node1")),
                "the machine has one NUMA node: scripts/lab with -numa");
    }

    /**
     * The kernel ends a call of move_pages with the pages that it could not move, and tells of none of that call where they
     * are. The call before said of as many pages that they are on the slow node.
     */
    @Test
    void aPageThatCannotMoveIsCountedAndTheOthersGo() {
        SlowTier tier = new SlowTier.Node(SLOW, FAST);
        try (Arena arena = Arena.ofShared();
                ProcessPages pages = new ProcessPages(1 << 16, () -> Set.of((int) ProcessHandle.current().pid()),
                        new Referenced(), tier)) {
            MemorySegment before = touched(arena);
            MemorySegment memory = touched(arena);
            pages.begin();
            demote(pages, before);
            assertThat(pages.demoted()).isEqualTo((long) SPANS * TieredProcess.PAGES);
            assertThat(tier.refusals()).isEmpty();
            MemorySegment held = memory.asSlice(2 * TieredProcess.SPAN + 5 * TieredProcess.PAGE_BYTES,
                    TieredProcess.PAGE_BYTES);
            try (PinnedPage pinned = PinnedPage.of(held)) {
                assertThat(pinned).isNotNull();
                demote(pages, memory);
            }
            for (long at = 0; at < memory.byteSize(); at += TieredProcess.PAGE_BYTES) {
                MemorySegment page = memory.asSlice(at, TieredProcess.PAGE_BYTES);
                assertThat(NumaPolicy.nodeOf(page)).as("page at %d", at)
                        .isEqualTo(page.address() == held.address() ? FAST : SLOW);
                assertThat(page.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(at);
            }
            assertThat(pages.demoted()).isEqualTo(2L * SPANS * TieredProcess.PAGES - 1);
            assertThat(tier.refusals()).isEqualTo(Map.of("stayed on node " + FAST, 1L));
        }
    }

    /** Whole batches, whose pages hold their place; nothing lies beside them in their mapping. */
    private static MemorySegment touched(Arena arena) {
        MemorySegment all = Libc.map(arena, (SPANS + 1) * TieredProcess.SPAN, Linux.PROT_READ | Linux.PROT_WRITE,
                Linux.MAP_PRIVATE | Linux.MAP_ANONYMOUS, null, 0, "memory of a test");
        Libc.advise(all, MADV_NOHUGEPAGE);
        MemorySegment memory = all.asSlice(Math.floorMod(-all.address(), TieredProcess.SPAN),
                SPANS * TieredProcess.SPAN);
        for (long at = 0; at < memory.byteSize(); at += TieredProcess.PAGE_BYTES) {
            memory.set(ValueLayout.JAVA_LONG, at, at);
        }
        return memory;
    }

    /** All of it in one call. */
    private static void demote(ProcessPages pages, MemorySegment memory) {
        int[] batches = new int[SPANS];
        for (int n = 0; n < SPANS; n++) {
            batches[n] = pages.batchOf((int) ProcessHandle.current().pid(), memory.address() + n * TieredProcess.SPAN);
            assertThat(batches[n]).isNotNegative();
        }
        pages.moveSoon(batches, SPANS, true);
        for (int batch : batches) {
            pages.move(batch, true);
        }
    }
}
