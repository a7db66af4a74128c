package dev.bascule.host.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table of batches over this very process: its own pages are read, and moved, as another's would be. */
class ProcessPagesTest {
    private static final int SPAN = (int) TieredProcess.SPAN;
    private static final int BATCHES = 1 << 16;
    /** {@code madvise}: a fault brings its one page, none beside it. */
    private static final int MADV_RANDOM = 1;

    @TempDir
    private Path folder = Path.of("");

    private final Arena arena = Arena.ofShared();

    @AfterEach
    void unmap() {
        arena.close();
    }

    private static ProcessPages own(SlowTier tier) {
        int pid = (int) ProcessHandle.current().pid();
        return new ProcessPages(BATCHES, () -> Set.of(pid), new Referenced(), tier);
    }

    private static MemorySegment anonymous(Arena where, long bytes) {
        MemorySegment memory = Libc.map(where, bytes, Linux.PROT_READ | Linux.PROT_WRITE,
                Linux.MAP_PRIVATE | Linux.MAP_ANONYMOUS, null, 0, "memory of a test");
        memory.fill((byte) 1);
        return memory;
    }

    /** A file in the page cache with nothing left to write. */
    private MemorySegment file(Arena where, int bytes) throws IOException {
        Path path = folder.resolve("data");
        byte[] content = new byte[bytes];
        Arrays.fill(content, (byte) 5);
        Files.write(path, content);
        try (Fd fd = Libc.open(path.toString(), Linux.O_RDWR);
                var channel = java.nio.channels.FileChannel.open(path, java.nio.file.StandardOpenOption.WRITE)) {
            channel.force(true);
            MemorySegment mapped = Libc.map(where, bytes, Linux.PROT_READ, Linux.MAP_SHARED, fd, 0, path.toString());
            assertThat(sum(mapped)).isEqualTo(5L * (bytes / TieredProcess.PAGE_BYTES));
            return mapped;
        }
    }

    private static long sum(MemorySegment memory) {
        long sum = 0;
        for (long at = 0; at < memory.byteSize(); at += TieredProcess.PAGE_BYTES) {
            sum += memory.get(ValueLayout.JAVA_BYTE, at);
        }
        return sum;
    }

    /** Bits that were cleared are set again only where the processor walks the page table: the kernel leaves its TLB. */
    private static void forgetTranslations() {
        try (Arena other = Arena.ofConfined()) {
            other.allocate(64 << 20, TieredProcess.PAGE_BYTES).fill((byte) 1);
        }
    }

    /** The batch that holds an address. */
    private static int batch(ProcessPages pages, MemorySegment memory) {
        int found = pages.batchOf((int) ProcessHandle.current().pid(), memory.address());
        assertThat(found).as("batch of 0x%x", memory.address()).isNotNegative();
        return found;
    }

    @Test
    void touchedMappingsAreToldFromIdleOnes() {
        MemorySegment used = anonymous(arena, SPAN);
        Libc.lock(anonymous(arena, TieredProcess.PAGE_BYTES)); // keeps the two from being one mapping
        MemorySegment idle = Libc.map(arena, SPAN, Linux.PROT_READ, Linux.MAP_PRIVATE | Linux.MAP_ANONYMOUS, null, 0,
                "read only");
        sum(idle);
        try (ProcessPages pages = own(new SlowTier.Count())) {
            pages.begin();
            pages.takeAccessed(batch(pages, used));
            pages.takeAccessed(batch(pages, idle));
            forgetTranslations();
            for (long at = 0; at < SPAN; at += TieredProcess.PAGE_BYTES) { // a DAMON of the machine clears bits of some
                used.set(ValueLayout.JAVA_BYTE, at, (byte) 2);
            }
            pages.begin();
            assertThat(pages.takeAccessed(batch(pages, used))).isNotZero();
            assertThat(pages.takeAccessed(batch(pages, idle))).isZero();
            assertThat(pages.accesses()).isPositive();
            assertThat(pages.processes()).isOne();
            assertThat(pages.residentBytes()).isGreaterThan(1 << 20);
        }
    }

    @Test
    void aDecisionIsStaleOnceAPageWasUnmappedOrCameIn() {
        Arena short1 = Arena.ofShared();
        MemorySegment goes = anonymous(short1, 4L * SPAN).asSlice(SPAN, SPAN);
        MemorySegment sparse = Libc.map(arena, 4L * SPAN, Linux.PROT_READ | Linux.PROT_WRITE,
                Linux.MAP_PRIVATE | Linux.MAP_ANONYMOUS, null, 0, "not touched yet").asSlice(SPAN, SPAN);
        try (ProcessPages pages = own(new SlowTier.Count())) {
            pages.begin();
            int first = batch(pages, goes);
            int second = batch(pages, sparse);
            pages.takeAccessed(first);
            pages.takeAccessed(second);
            assertThat(pages.isUnchanged(first)).isTrue();
            assertThat(pages.isUnchanged(second)).isTrue();
            sparse.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            assertThat(pages.isUnchanged(second)).as("a page came in").isFalse();
            short1.close();
            assertThat(pages.isUnchanged(first)).as("unmapped").isFalse();
            pages.begin();
            assertThat(pages.batchOf((int) ProcessHandle.current().pid(), goes.address()))
                    .as("the batch is given up with its mapping").isNegative();
        }
    }

    @Test
    void pagesOfAFileGoAndComeBackAsTheyWere() throws IOException {
        MemorySegment mapped = file(arena, 4 * SPAN);
        Assumptions.assumeTrue(Libc.effectiveUserId() == 0, "paging out takes CAP_SYS_NICE: run as root");
        try (ProcessPages pages = own(new SlowTier.PageOut())) {
            pages.begin();
            int batch = batch(pages, mapped);
            pages.takeAccessed(batch);
            assertThat(pages.move(batch, true)).isTrue();
            long out = pages.demoted();
            assertThat(out).as("pages").isPositive();
            assertThat(sum(mapped)).as("what they hold").isEqualTo(5 * 4L * TieredProcess.PAGES);
            pages.begin();
            assertThat(Long.bitCount(pages.takeAccessed(batch))).as("their return is an access").isEqualTo((int) out);
            assertThat(pages.slowAccesses()).isEqualTo(out);
        }
    }

    /** One of them is asked for twice, one has no page, one is of no process any more. */
    @Test
    void batchesForANodeGoTogetherAndCountOnce() {
        Assumptions.assumeTrue(Libc.effectiveUserId() == 0, "moving pages takes CAP_SYS_NICE: run as root");
        int spans = 40;
        MemorySegment memory = anonymous(arena, (spans + 2L) * SPAN);
        MemorySegment nothing = Libc.map(arena, 3L * SPAN, Linux.PROT_READ, Linux.MAP_PRIVATE | Linux.MAP_ANONYMOUS,
                null, 0, "no page of it");
        try (ProcessPages pages = own(new SlowTier.Node(0, 0))) { // where all of it is
            pages.begin();
            int[] batches = new int[spans + 3];
            for (int n = 0; n < spans; n++) {
                batches[n] = batch(pages, memory.asSlice((n + 1L) * SPAN, SPAN));
            }
            batches[spans] = batches[3];
            batches[spans + 1] = batch(pages, nothing.asSlice(SPAN, SPAN));
            batches[spans + 2] = BATCHES - 1;
            pages.moveSoon(batches, batches.length, true);
            assertThat(pages.demoted()).as("counted when they are asked for").isZero();
            for (int n = 0; n < spans; n++) {
                assertThat(pages.move(batches[n], true)).isTrue();
            }
            assertThat(pages.demoted()).isEqualTo(spans * (long) TieredProcess.PAGES);
            assertThat(pages.move(batches[spans + 1], true)).as("nothing of it uses fast memory").isTrue();
            assertThat(pages.move(batches[spans + 2], true)).isFalse();
            long fast = pages.fastBytes();
            pages.moveSoon(batches, 2, false);
            assertThat(pages.move(batches[0], false) && pages.move(batches[1], false)).isTrue();
            assertThat(pages.fastBytes() - fast).as("of two batches").isEqualTo(2L * SPAN);
            assertThat(sum(memory)).isEqualTo(memory.byteSize() / TieredProcess.PAGE_BYTES);
        }
    }

    @Test
    void lockedPagesStayAndAreCounted() {
        Assumptions.assumeTrue(Libc.effectiveUserId() == 0, "paging out takes CAP_SYS_NICE: run as root");
        MemorySegment locked = anonymous(arena, SPAN);
        Libc.lock(locked);
        SlowTier tier = new SlowTier.PageOut();
        try (ProcessPages pages = own(tier)) {
            pages.begin();
            int batch = batch(pages, locked);
            pages.takeAccessed(batch);
            assertThat(pages.move(batch, true)).isFalse();
            assertThat(tier.refusals()).containsKey("locked, or of a kind that cannot be moved");
            assertThat(pages.demoted()).isZero();
            assertThat(sum(locked)).isEqualTo(SPAN / TieredProcess.PAGE_BYTES);
        }
    }

    @Test
    void sharedPagesStayAndAreCounted() throws IOException {
        Assumptions.assumeTrue(Libc.effectiveUserId() == 0, "paging out takes CAP_SYS_NICE: run as root");
        MemorySegment once = file(arena, SPAN);
        Libc.advise(once, Linux.MADV_PAGEOUT); // and in again one by one: of a large folio the kernel asks
        Libc.advise(once, MADV_RANDOM); // which processes have it, and both mappings are this one's
        sum(once);
        MemorySegment twice;
        try (Fd fd = Libc.open(folder.resolve("data").toString(), Linux.O_RDONLY)) {
            twice = Libc.map(arena, SPAN, Linux.PROT_READ, Linux.MAP_SHARED, fd, 0, "the same again");
        }
        sum(twice);
        SlowTier tier = new SlowTier.PageOut();
        try (ProcessPages pages = own(tier)) {
            pages.begin();
            int batch = batch(pages, once);
            pages.takeAccessed(batch);
            assertThat(pages.move(batch, true)).isFalse();
            assertThat(tier.refusals().keySet()).singleElement().asString().contains("kept by the kernel: shared");
            assertThat(sum(once)).isEqualTo(sum(twice)).isEqualTo(5L * TieredProcess.PAGES);
        }
    }

    @Test
    void aHugePageIsReadInItsBatches() {
        long huge = 2 << 20;
        MemorySegment heap = anonymous(arena, 3 * huge);
        Libc.advise(heap, Linux.MADV_HUGEPAGE); // where the kernel gives none, its pages are small ones
        heap.fill((byte) 2);
        MemorySegment middle = heap.asSlice(huge, huge);
        try (ProcessPages pages = own(new SlowTier.Count())) {
            pages.begin();
            int batch = batch(pages, middle);
            assertThat(pages.takeAccessed(batch)).as("all pages of the batch, accessed").isEqualTo(-1L);
            assertThat(pages.isUnchanged(batch)).isTrue();
            assertThat(pages.move(batch, true)).isTrue();
            assertThat(pages.demoted()).isEqualTo(TieredProcess.PAGES);
            pages.takeAccessed(batch);
            assertThat(pages.move(batch, false)).isTrue();
        }
    }

    @Test
    void aNodeWithoutOtherNodesIsRefusedWithThoseThereAre() throws IOException {
        Files.writeString(folder.resolve("has_memory"), "0-1\n");
        Files.writeString(folder.resolve("has_cpu"), "0\n");
        assertThat(SlowTier.node(1, folder).name()).isEqualTo("node:1");
        assertThatThrownBy(() -> SlowTier.node(0, folder)).hasMessageContaining("another one must have CPUs");
        assertThatThrownBy(() -> SlowTier.node(2, folder)).hasMessageContaining("nodes [0, 1]");
    }

    @Test
    void aProcessThatEndsGivesAllItsBatchesBack() throws Exception {
        Process sleeper = new ProcessBuilder("sleep", "60").start();
        Set<Integer> pids = Set.of((int) sleeper.pid());
        try (ProcessPages pages = new ProcessPages(256, () -> pids, new Referenced(), new SlowTier.Count())) {
            pages.begin();
            assertThat(pages.batches()).isPositive();
            sleeper.destroyForcibly().waitFor();
            for (int batch = 0; batch < 256; batch++) {
                if (pages.isThere(batch)) {
                    assertThat(pages.takeAccessed(batch)).isZero();
                    assertThat(pages.move(batch, true)).as("nothing is there to be moved").isTrue();
                }
            }
            pages.begin();
            assertThat(pages.batches()).isZero();
            assertThat(pages.processes()).isZero();
        } finally {
            sleeper.destroyForcibly();
        }
    }

    @Test
    void aTableThatIsFullLeavesTheRestAlone() {
        int pid = (int) ProcessHandle.current().pid();
        try (ProcessPages pages = new ProcessPages(3, () -> Set.of(pid), new Referenced(), new SlowTier.Count())) {
            pages.begin();
            assertThat(pages.batches()).isEqualTo(3);
            assertThat(pages.unmanaged()).isPositive();
        }
    }
}
