package dev.bascule.host.tier;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's own monitor, DAMON: it samples a page of each region of a process's address space, and splits and joins
 * regions as they differ. Each period it is asked for the regions it saw accessed. It serves one user of the machine at a
 * time, and here one process; of others nothing is known, so they stay where they are.
 * <p>
 * It is shown the mappings that are managed and nothing between them, and joins regions up to a quarter of a batch: in the
 * whole address space of a program with large reservations a region is many times as long, and one touch in it makes all
 * of it look used. What it samples in a second is limited, so that a large process is seen more coarsely and not at a
 * higher cost.
 */
final class Damon implements AccessSource {
    static final String NAME = "damon";
    static final Path ADMIN = Path.of("/sys/kernel/mm/damon/admin/kdamonds");
    private static final String STATE = "0/state";
    private static final String CONTEXT = "0/contexts/0/";
    private static final int MOST_SAMPLES = 10;
    private static final int LEAST_SAMPLES = 1;
    /** It samples one page of a region for a period: one of a few that a slow program touches is easily missed. */
    private static final int REGIONS_A_BATCH = 4;
    private static final int SAMPLES_A_SECOND = 5000;
    private static final int LEAST_REGIONS = 100;
    private static final int MOST_REGIONS = 5000;
    /** Periods between two looks for mappings that it does not watch yet. */
    private static final int RENEW_PERIODS = 4;

    private final Path admin;
    private final DamonMark mark;
    private final Path tracing;
    private final long periodMicros;
    private final Map<Integer, Long> seen = new HashMap<>();
    /** Ranges that it watches: first byte, and the byte behind the last. */
    private TreeMap<Long, Long> ranges = new TreeMap<>();
    /** Pages of batches that it does not watch, of these mappings. */
    private final Map<Integer, Long> unwatched = new HashMap<>();
    private List<Mapping> mappings = List.of();
    private boolean isByRange;
    private int sinceRenewed;
    private @Nullable DamonTrace trace;
    private @Nullable TieredProcess watched;

    /**
     * It watches nothing yet.
     *
     * @param tracing where tracefs is, or would be
     * @param mark the claim to it, which is given up at the end
     */
    Damon(Path admin, Path tracing, long periodNanos, DamonMark mark) {
        this.mark = mark;
        this.admin = admin;
        this.tracing = tracing;
        this.periodMicros = periodNanos / 1000;
    }

    /** This machine's, claimed for this process; null if it cannot watch a process. */
    static @Nullable Damon open(long periodNanos) {
        DamonMark mark = DamonMark.take(ADMIN, DamonMark.FILE);
        boolean hasVirtual = false;
        try {
            hasVirtual = hasVirtual(ADMIN);
        } finally {
            if (!hasVirtual) {
                mark.close();
            }
        }
        return hasVirtual ? new Damon(ADMIN, DamonTrace.TRACING, periodNanos, mark) : null;
    }

    /**
     * Whether it can watch a process's own addresses, which it tells only once it is set up; it is free afterwards.
     *
     * @throws UncheckedIOException if it cannot be asked: the kernel refuses it for a while after it was turned off
     */
    static boolean hasVirtual(Path admin) {
        try {
            DamonMark.write(admin.resolve("nr_kdamonds"), "1");
            try {
                DamonMark.write(admin.resolve("0/contexts/nr_contexts"), "1");
                return DamonMark.read(admin, "0/contexts/0/avail_operations").lines().anyMatch("vaddr"::equals);
            } finally {
                DamonMark.write(admin.resolve("nr_kdamonds"), "0");
            }
        } catch (NoSuchFileException e) {
            return false; // kernels before 5.19 do not tell
        } catch (IOException e) {
            throw new UncheckedIOException("ask DAMON what it can watch: " + e.getMessage()
                    + "; try again, or name another source: --source " + Referenced.NAME, e);
        }
    }

    /** Whether a module's switch is on. */
    static boolean isOn(Path enabled) {
        try {
            return Files.readString(enabled).strip().equals("Y");
        } catch (IOException e) {
            return false; // there is no such module
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String meaning() {
        return "regions in which DAMON saw an access to the page it sampled";
    }

    @Override
    public boolean isByPage() {
        return true;
    }

    private void write(String file, Object value) {
        try {
            DamonMark.write(admin.resolve(file), value.toString());
        } catch (IOException e) {
            throw new UncheckedIOException("write " + value + " to " + admin.resolve(file) + ": " + e.getMessage()
                    + "; run as root, or name another source: --source " + Referenced.NAME, e);
        }
    }

    private void start(TieredProcess process) {
        checkFree();
        watched = process;
        write("nr_kdamonds", 1);
        write("0/contexts/nr_contexts", 1);
        write(DamonMark.UPDATE_MICROS, mark.updateMicros()); // first of all: it can be told to be ours from here on
        isByRange = hasRanges();
        write(CONTEXT + "operations", isByRange ? "fvaddr" : "vaddr");
        write(CONTEXT + "targets/nr_targets", 1);
        write(CONTEXT + "targets/0/pid_target", process.pid);
        trace = DamonTrace.open(tracing);
        if (trace == null) {
            writeScheme();
        }
        show(ranges(process.mappings));
        write(STATE, "on");
        if (!process.isSame()) {
            stop(); // it was told a number, which may be another's by now
        }
    }

    private void checkFree() {
        try {
            if (!mark.isFree()) {
                throw new IOException("somebody else has set it up meanwhile");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "set up DAMON: " + e.getMessage() + "; name another source: --source " + Referenced.NAME, e);
        }
    }

    /** One that does nothing but remember which regions were accessed. */
    private void writeScheme() {
        write(CONTEXT + "schemes/nr_schemes", 1);
        write(CONTEXT + "schemes/0/action", "stat");
        String pattern = CONTEXT + "schemes/0/access_pattern/";
        write(pattern + "sz/min", 0);
        write(pattern + "sz/max", Long.MAX_VALUE);
        write(pattern + "nr_accesses/min", 1);
        write(pattern + "nr_accesses/max", Integer.MAX_VALUE);
        write(pattern + "age/min", 0);
        write(pattern + "age/max", Integer.MAX_VALUE);
    }

    /** Whether it can be told what to watch of a process. */
    private boolean hasRanges() {
        try {
            return DamonMark.read(admin, CONTEXT + "avail_operations").lines().anyMatch("fvaddr"::equals);
        } catch (IOException e) {
            return false; // kernels before 5.19 watch all of it
        }
    }

    /** Mappings that touch each other are one range. */
    static TreeMap<Long, Long> ranges(List<Mapping> mappings) {
        TreeMap<Long, Long> all = new TreeMap<>();
        mappings.forEach(one -> add(all, one.start(), one.end()));
        return all;
    }

    /** Adds a range to others: what overlaps or touches becomes one. */
    static void add(TreeMap<Long, Long> all, long start, long end) {
        long first = start;
        long behind = end;
        Map.Entry<Long, Long> near = all.floorEntry(behind);
        while (near != null && near.getValue() >= first) {
            first = Math.min(first, near.getKey());
            behind = Math.max(behind, near.getValue());
            all.remove(near.getKey());
            near = all.floorEntry(behind);
        }
        all.put(first, behind);
    }

    /** Sets what it watches, and how closely. */
    private void show(TreeMap<Long, Long> now) {
        long bytes = now.entrySet().stream().mapToLong(range -> range.getValue() - range.getKey()).sum();
        int least = (int) Math.clamp(REGIONS_A_BATCH * bytes / TieredProcess.SPAN, LEAST_REGIONS,
                MOST_REGIONS);
        int most = 2 * least + now.size();
        long micros = trace == null ? periodMicros : periodMicros / 2; // events of a whole one in each of ours
        long samples = Math.clamp(SAMPLES_A_SECOND * micros / 1_000_000 / most, LEAST_SAMPLES, MOST_SAMPLES);
        String attributes = CONTEXT + "monitoring_attrs/";
        write(attributes + "nr_regions/max", most);
        write(attributes + "nr_regions/min", least);
        write(attributes + "intervals/sample_us", micros / samples);
        write(attributes + "intervals/aggr_us", micros);
        if (isByRange) {
            String regions = CONTEXT + "targets/0/regions/";
            write(regions + "nr_regions", now.size());
            int n = 0;
            for (Map.Entry<Long, Long> range : now.entrySet()) {
                write(regions + n + "/start", range.getKey());
                write(regions + n++ + "/end", range.getValue());
            }
        }
        ranges = now;
        sinceRenewed = 0;
    }

    /** Mappings that are new are watched from now on. */
    private void renew(TieredProcess process) {
        if (!isByRange || ++sinceRenewed < RENEW_PERIODS) {
            return;
        }
        TreeMap<Long, Long> now = ranges(process.mappings);
        if (!now.isEmpty() && !now.equals(ranges)) {
            try {
                show(now);
                write(STATE, "commit");
                mappings = List.of();
            } catch (UncheckedIOException e) {
                if (process.isSame()) {
                    throw e;
                }
            }
        }
        sinceRenewed = 0;
    }

    @Override
    public void begin(TieredProcess process, NavigableMap<Long, Integer> batches) {
        if (watched == null && !process.mappings.isEmpty()) {
            start(process);
        }
        if (watched != process) {
            return;
        }
        try {
            mark(accessed(), batches);
            renew(process);
            findUnwatched(process);
        } catch (IOException e) {
            if (process.isSame()) {
                throw new UncheckedIOException("ask DAMON about process " + process.pid + ": " + e.getMessage(), e);
            }
        }
    }

    private TreeMap<Long, Long> accessed() throws IOException {
        if (trace == null) {
            Files.writeString(admin.resolve(STATE), "update_schemes_tried_regions");
            return regions(admin.resolve(CONTEXT + "schemes/0/tried_regions"));
        }
        TreeMap<Long, Long> all = new TreeMap<>();
        trace.read(all);
        return all;
    }

    /** Accessed regions: first byte, and the byte behind the last. */
    static TreeMap<Long, Long> regions(Path folder) throws IOException {
        TreeMap<Long, Long> all = new TreeMap<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, Files::isDirectory)) {
            for (Path region : entries) {
                all.put(Long.parseUnsignedLong(Files.readString(region.resolve("start")).strip()),
                        Long.parseUnsignedLong(Files.readString(region.resolve("end")).strip()));
            }
        }
        return all;
    }

    private void mark(TreeMap<Long, Long> regions, NavigableMap<Long, Integer> batches) {
        for (Map.Entry<Long, Long> region : regions.entrySet()) {
            batches.subMap(Math.max(0, region.getKey() - TieredProcess.SPAN), false, region.getValue(), false)
                    .forEach((address, batch) -> {
                        long bits = overlap(regions, address);
                        if (bits != 0) {
                            seen.merge(batch, bits, (a, b) -> a | b);
                        }
                    });
        }
    }

    /** Finds the pages that it does not watch yet, which count as accessed. */
    private void findUnwatched(TieredProcess process) {
        if (isByRange && mappings != process.mappings) {
            mappings = process.mappings;
            unwatched.clear();
            process.batches.forEach((address, batch) -> {
                long bits = ~overlap(ranges, address);
                if (bits != 0) {
                    unwatched.put(batch, bits);
                }
            });
        }
    }

    /** A bit for each page of a batch that lies in an accessed region. */
    static long overlap(TreeMap<Long, Long> regions, long address) {
        long bits = 0;
        Map.Entry<Long, Long> region = regions.floorEntry(address + TieredProcess.SPAN - 1);
        while (region != null && region.getValue() > address) {
            int from = (int) Math.max(0, (region.getKey() - address) / TieredProcess.PAGE_BYTES);
            int to = (int) Math.min(TieredProcess.PAGES,
                    (region.getValue() - address + TieredProcess.PAGE_BYTES - 1) / TieredProcess.PAGE_BYTES);
            bits |= to - from == Long.SIZE ? -1L : (1L << to - from) - 1 << from;
            region = regions.lowerEntry(region.getKey());
        }
        return bits;
    }

    @Override
    public long take(TieredProcess process, int batch, Mapping mapping, long[] entries, long present) {
        if (process != watched) {
            return present;
        }
        Long bits = seen.remove(batch);
        return present & ((bits == null ? 0 : bits) | unwatched.getOrDefault(batch, 0L));
    }

    @Override
    public boolean knows(TieredProcess process, int batch) {
        return process == watched && seen.containsKey(batch);
    }

    @Override
    public void forget(TieredProcess process) {
        if (process == watched) {
            stop();
        }
    }

    private void stop() {
        watched = null;
        if (trace != null) {
            trace.close();
            trace = null;
        }
        mark.clear();
    }

    @Override
    public void close() {
        if (watched != null) {
            stop();
        }
        mark.close();
    }
}
