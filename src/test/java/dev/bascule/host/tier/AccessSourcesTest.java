package dev.bascule.host.tier;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the kernel's files mean. The files here are written by hand, after the kernel's documentation of them. */
class AccessSourcesTest {
    private static final long PAGE = TieredProcess.PAGE_BYTES;

    @TempDir
    private Path folder = Path.of("");

    private Path file(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private Path words(String name, long... words) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(words.length * 8).order(ByteOrder.nativeOrder());
        for (long word : words) {
            bytes.putLong(word);
        }
        return Files.write(folder.resolve(name), bytes.array());
    }

    private static long word(Path file, int index) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder()).getLong(index * 8);
    }

    @Test
    void mappingsOfDevicesAndOfTheKernelAreLeftAlone() {
        List<Mapping> all = Mapping.parse(List.of(
                "55d0c0000000-55d0c0002000 r--p 00000000 08:01 131 /usr/bin/cat",
                "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 ",
                "7f0000400000-7f0000500000 ---p 00000000 00:00 0 ",
                "7f0000500000-7f0000600000 rw-s 00000000 00:05 9 /dev/vfio/1",
                "7f0000600000-7f0000700000 rw-s 00000000 00:05 9 /dev/shm/with a blank",
                "7ffc0000000-7ffc0021000 rw-p 00000000 00:00 0 [stack]",
                "7ffc0100000-7ffc0102000 r-xp 00000000 00:00 0 [vdso]",
                "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]"));
        assertThat(all).extracting(Mapping::start).containsExactly(0x55d0c0000000L, 0x7f0000000000L, 0x7f0000600000L,
                0x7ffc0000000L);
        Mapping file = all.getFirst();
        assertThat(file.holds(0x55d0c0001fffL)).isTrue();
        assertThat(file.holds(0x55d0c0002000L)).isFalse();
        assertThat(Mapping.parse("55d0c0000000-55d0c0002000 r--p 00000000 08:01 132 /usr/bin/cat"))
                .as("another file in the same place").isNotEqualTo(file);
    }

    @Test
    void aMappingIsAccessedIfSomeOfItIsReferenced() {
        assertThat(Referenced.accessed(List.of("7f0000000000-7f0000400000 rw-p 00000000 00:00 0",
                "Size:               4096 kB", "Rss:                  12 kB", "Referenced:            4 kB",
                "VmFlags: rd wr mr mw me ac sd",
                "7f0000400000-7f0000500000 r--p 00000000 08:01 5 /some-file", "Referenced:            0 kB")))
                .containsExactly(0x7f0000000000L);
    }

    @Test
    void softDirtyIsBit55() {
        long[] entries = new long[TieredProcess.PAGES];
        entries[3] = TieredProcess.PRESENT | 1L << 55;
        entries[4] = TieredProcess.PRESENT | 1L << 54;
        entries[63] = 1L << 55;
        assertThat(SoftDirty.dirty(entries)).isEqualTo(1L << 3 | 1L << 63);
    }

    @Test
    void pagesAreAccessedWhoseIdleBitIsGoneAndAreMarkedAgain() throws IOException {
        Path bitmap = words("bitmap", 1L << 5, 0, 0, 0);
        Path flags = words("flags", new long[256]);
        long[] entries = new long[TieredProcess.PAGES];
        entries[0] = TieredProcess.PRESENT | 5; // idle
        entries[1] = TieredProcess.PRESENT | 7; // accessed
        entries[2] = 7; // not in memory
        entries[3] = TieredProcess.PRESENT | 130; // accessed, of another word
        try (PageIdle source = new PageIdle(bitmap, flags)) {
            assertThat(take(source, entries)).isEqualTo(0b1010);
        }
        assertThat(word(bitmap, 0)).isEqualTo(1L << 5 | 1L << 7);
        assertThat(word(bitmap, 2)).isEqualTo(1L << 2);
    }

    @Test
    void allOfAHugePageIsAccessedWithItsFirstFrame() throws IOException {
        long[] kinds = new long[1024];
        for (int frame = 513; frame < 1024; frame++) {
            kinds[frame] = 1L << 16; // KPF_COMPOUND_TAIL
        }
        kinds[512] = 1L << 15; // KPF_COMPOUND_HEAD
        Path flags = words("flags", kinds);
        Path bitmap = words("bitmap", new long[16]);
        long[] entries = new long[TieredProcess.PAGES];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = TieredProcess.PRESENT | 640 + i; // a part from the middle of it
        }
        try (PageIdle source = new PageIdle(bitmap, flags)) {
            assertThat(take(source, entries)).isEqualTo(-1L);
            assertThat(word(bitmap, 8)).as("the first frame is marked, and it alone").isEqualTo(1);
            assertThat(word(bitmap, 10)).isZero();
            assertThat(take(source, entries)).as("idle now").isZero();
        }
    }

    private static long take(PageIdle source, long[] entries) {
        TieredProcess own = java.util.Objects.requireNonNull(TieredProcess.open((int) ProcessHandle.current().pid()));
        try (own) {
            return source.take(own, 0, new Mapping(0, TieredProcess.SPAN, 0), entries,
                    SlowTier.present(entries, entries.length));
        }
    }

    @Test
    void damonsRegionsCoverPagesOfABatch() throws IOException {
        long base = 0x7f0000000000L;
        file("tried/0/start", base - PAGE + "\n");
        file("tried/0/end", base + 2 * PAGE + "\n");
        file("tried/1/start", base + 60 * PAGE + "\n");
        file("tried/1/end", base + 200 * PAGE + "\n");
        file("tried/total_bytes", "1\n");
        TreeMap<Long, Long> regions = Damon.regions(folder.resolve("tried"));
        assertThat(regions).hasSize(2);
        assertThat(Damon.overlap(regions, base)).isEqualTo(0b11 | 0xf000_0000_0000_0000L);
        assertThat(Damon.overlap(regions, base + 64 * PAGE)).as("inside of a region").isEqualTo(-1L);
        assertThat(Damon.overlap(regions, base + 256 * PAGE)).isZero();
    }

    /** Lines as Linux prints them; the last one has no end yet. */
    @Test
    void damonsEventsOfAllItsPeriodsAreRegions() throws IOException {
        Path instance = folder.resolve("tracing/instances/bascule-tier");
        file("tracing/instances/bascule-tier/events/damon/damon_aggregated/filter", "none\n");
        file("tracing/instances/bascule-tier/events/damon/damon_aggregated/enable", "0\n");
        String head = "       kdamond.0-213     [001] .....    81.123456: damon_aggregated: target_id=0 nr_regions=4 ";
        file("tracing/instances/bascule-tier/trace_pipe", head + "4096-8192: 2 7\n" + head + "8192-16384: 1 0\n" + head
                + "140724603453440-140724603457536: 1 3\n" + head + "20480-24576: 0 9\n" + head + "28672-3");
        try (DamonTrace trace = Objects.requireNonNull(DamonTrace.open(folder.resolve("tracing")))) {
            assertThat(instance.resolve("events/damon/damon_aggregated/enable")).hasContent("1");
            TreeMap<Long, Long> regions = new TreeMap<>();
            trace.read(regions);
            assertThat(regions).containsExactly(Map.entry(4096L, 16384L),
                    Map.entry(140724603453440L, 140724603457536L));
        }
        assertThat(instance.resolve("events/damon/damon_aggregated/enable")).hasContent("0");
    }

    @Test
    void lostEventsCountAsAccessesToAllThereIs() throws IOException {
        file("tracing/instances/bascule-tier/events/damon/damon_aggregated/filter", "none\n");
        file("tracing/instances/bascule-tier/events/damon/damon_aggregated/enable", "0\n");
        file("tracing/instances/bascule-tier/trace_pipe", "CPU:1 [LOST 12 EVENTS]\n");
        try (DamonTrace trace = Objects.requireNonNull(DamonTrace.open(folder.resolve("tracing")))) {
            TreeMap<Long, Long> regions = new TreeMap<>();
            trace.read(regions);
            assertThat(Damon.overlap(regions, 0x7f0000000000L)).isEqualTo(-1L);
        }
        assertThat(DamonTrace.open(folder.resolve("none"))).as("no tracefs").isNull();
    }

    @Test
    void rangesThatTouchAreOne() {
        TreeMap<Long, Long> all = Damon.ranges(java.util.List.of(new Mapping(0x1000, 0x3000, 1),
                new Mapping(0x3000, 0x4000, 2), new Mapping(0x6000, 0x7000, 3)));
        assertThat(all).containsExactly(Map.entry(0x1000L, 0x4000L), Map.entry(0x6000L, 0x7000L));
        Damon.add(all, 0x2000, 0x6800);
        assertThat(all).containsExactly(Map.entry(0x1000L, 0x7000L));
    }

    @Test
    void whatIsThereIsSaidAndWhatIsNotHasACure() throws IOException {
        Path sys = folder.resolve("sys");
        Path proc = folder.resolve("proc");
        assertThat(AccessSources.all(sys, proc, false)).noneMatch(AccessSources.Availability::isThere)
                .allSatisfy(one -> assertThat(one.cure()).as(one.name()).isNotEmpty());
        file("sys/kernel/mm/page_idle/bitmap", "");
        file("proc/self/clear_refs", "");
        file("sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds", "1\n");
        file("sys/kernel/mm/damon/admin/kdamonds/0/state", "on\n");
        List<AccessSources.Availability> all = AccessSources.all(sys, proc, true);
        assertThat(all).filteredOn(AccessSources.Availability::isThere).extracting(AccessSources.Availability::name)
                .containsExactly("page-idle", "soft-dirty", "referenced");
        assertThat(all).filteredOn(one -> one.name().equals("damon")).first()
                .satisfies(one -> assertThat(one.found()).contains("somebody else"));
        file("sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds", "0\n");
        file("sys/module/damon_stat/parameters/enabled", "Y\n");
        assertThat(AccessSources.all(sys, proc, true)).filteredOn(one -> one.name().equals("damon")).first()
                .satisfies(
                        one -> assertThat(one.cure()).contains("echo N | sudo tee", "damon_stat/parameters/enabled"));
        file("sys/module/damon_stat/parameters/enabled", "N\n");
        assertThat(AccessSources.all(sys, proc, true)).filteredOn(AccessSources.Availability::isThere)
                .extracting(AccessSources.Availability::name).contains("damon");
    }
}
