package dev.bascule.host.tier;

import dev.bascule.ffi.KernelText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/**
 * {@code Referenced} of {@code /proc/PID/smaps}, which {@code 1} written to {@code clear_refs} sets back: every kernel has
 * it, for every process of the same user. It tells mappings apart, not pages: all of a mapping was accessed, or nothing.
 */
final class Referenced implements AccessSource {
    static final String NAME = "referenced";

    private final Map<TieredProcess, Map<Long, Integer>> accessed = new HashMap<>();
    private final Map<Integer, Integer> taken = new HashMap<>();
    private int now;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String meaning() {
        return "whole mappings that were accessed, by smaps and clear_refs";
    }

    @Override
    public boolean isByPage() {
        return false;
    }

    @Override
    public void begin(TieredProcess process, NavigableMap<Long, Integer> batches) {
        now++;
        try {
            Map<Long, Integer> of = accessed.computeIfAbsent(process, p -> new HashMap<>());
            for (long start : accessed(KernelText.lines(process.file("smaps")))) {
                of.put(start, now);
            }
            Files.writeString(process.file("clear_refs"), "1");
        } catch (IOException e) {
            if (process.isSame()) {
                throw new UncheckedIOException("read and clear what process " + process.pid + " accessed: "
                        + e.getMessage() + "; run as its user or as root: sudo scripts/bascule tier ...", e);
            }
        }
    }

    /** First bytes of the mappings that were accessed. */
    static List<Long> accessed(List<String> smaps) {
        List<Long> all = new ArrayList<>();
        long start = 0;
        for (String line : smaps) {
            int dash = line.indexOf('-');
            if (line.startsWith("Referenced:")) {
                if (!line.endsWith(" 0 kB")) {
                    all.add(start);
                }
            } else if (dash > 0 && dash < line.indexOf(' ')) {
                start = Long.parseUnsignedLong(line.substring(0, dash), 16);
            }
        }
        return all;
    }

    @Override
    public long take(TieredProcess process, int batch, Mapping mapping, long[] entries, long present) {
        int last = accessed.getOrDefault(process, Map.of()).getOrDefault(mapping.start(), 0);
        Integer before = taken.put(batch, now);
        return last > (before == null ? 0 : before) ? present : 0;
    }

    @Override
    public void forget(TieredProcess process) {
        accessed.remove(process);
    }
}
