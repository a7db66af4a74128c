package dev.bascule.host.tier;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's own monitor, DAMON: it samples a page of each region of a process's address space, and splits and joins
 * regions as they differ. Each period it is asked for the regions it saw accessed. It serves one user of the machine at a
 * time, and here one process; of others nothing is known, so they stay where they are.
 */
final class Damon implements AccessSource {
    static final String NAME = "damon";
    static final Path ADMIN = Path.of("/sys/kernel/mm/damon/admin/kdamonds");
    private static final int SAMPLES = 10;
    private static final int LEAST_REGIONS = 200;
    private static final int MOST_REGIONS = 1000;

    private final Path admin;
    private final long periodMicros;
    private final Map<Integer, Long> seen = new HashMap<>();
    private @Nullable TieredProcess watched;

    Damon(Path admin, long periodNanos) {
        this.admin = admin;
        this.periodMicros = periodNanos / 1000;
    }

    /** Whether nobody else uses it: there is one, and whoever set it up would lose it. */
    static boolean isFree(Path admin) {
        try {
            return Files.readString(admin.resolve("nr_kdamonds")).strip().equals("0")
                    || Files.readString(admin.resolve("0/state")).strip().equals("off");
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether it can watch a process's own addresses, which it tells only once it is set up; it is free afterwards. */
    static boolean hasVirtual(Path admin) {
        try {
            Files.writeString(admin.resolve("nr_kdamonds"), "1");
            Files.writeString(admin.resolve("0/contexts/nr_contexts"), "1");
            boolean has = Files.readAllLines(admin.resolve("0/contexts/0/avail_operations")).contains("vaddr");
            Files.writeString(admin.resolve("nr_kdamonds"), "0");
            return has;
        } catch (IOException e) {
            return false;
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
            Files.writeString(admin.resolve(file), value.toString());
        } catch (IOException e) {
            throw new UncheckedIOException("write " + value + " to " + admin.resolve(file) + ": " + e.getMessage()
                    + "; run as root, or name another source: --source " + Referenced.NAME, e);
        }
    }

    private void start(TieredProcess process) {
        watched = process;
        write("nr_kdamonds", 1);
        write("0/contexts/nr_contexts", 1);
        String context = "0/contexts/0/";
        write(context + "operations", "vaddr");
        write(context + "monitoring_attrs/intervals/sample_us", periodMicros / SAMPLES);
        write(context + "monitoring_attrs/intervals/aggr_us", periodMicros);
        write(context + "monitoring_attrs/intervals/update_us", periodMicros * 2);
        write(context + "monitoring_attrs/nr_regions/max", MOST_REGIONS);
        write(context + "monitoring_attrs/nr_regions/min", LEAST_REGIONS);
        write(context + "targets/nr_targets", 1);
        write(context + "targets/0/pid_target", process.pid);
        write(context + "schemes/nr_schemes", 1);
        write(context + "schemes/0/action", "stat");
        String pattern = context + "schemes/0/access_pattern/";
        write(pattern + "sz/min", 0);
        write(pattern + "sz/max", Long.MAX_VALUE);
        write(pattern + "nr_accesses/min", 1);
        write(pattern + "nr_accesses/max", SAMPLES * 2);
        write(pattern + "age/min", 0);
        write(pattern + "age/max", Integer.MAX_VALUE);
        write("0/state", "on");
    }

    @Override
    public void begin(TieredProcess process, Map<Long, Integer> batches) {
        if (watched == null) {
            start(process);
        }
        if (watched != process) {
            return;
        }
        try {
            Files.writeString(admin.resolve("0/state"), "update_schemes_tried_regions");
            mark(regions(admin.resolve("0/contexts/0/schemes/0/tried_regions")), batches);
        } catch (IOException e) {
            if (process.isSame()) {
                throw new UncheckedIOException("ask DAMON about process " + process.pid + ": " + e.getMessage(), e);
            }
        }
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

    private void mark(TreeMap<Long, Long> regions, Map<Long, Integer> batches) {
        batches.forEach((address, batch) -> {
            long bits = overlap(regions, address);
            if (bits != 0) {
                seen.merge(batch, bits, (a, b) -> a | b);
            }
        });
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
        return bits == null ? 0 : bits & present;
    }

    @Override
    public void forget(TieredProcess process) {
        if (process == watched) {
            close();
        }
    }

    @Override
    public void close() {
        if (watched != null) {
            watched = null;
            try {
                Files.writeString(admin.resolve("0/state"), "off");
            } catch (IOException e) {
                return; // it stopped by itself when the process ended
            }
        }
    }
}
