package dev.bascule.host.tier;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;

/**
 * Soft-dirty bits: bit 55 of pagemap, which {@code 4} written to {@code clear_refs} sets back for the whole process. They
 * tell of writes only: what is read and never written looks idle.
 */
final class SoftDirty implements AccessSource {
    static final String NAME = "soft-dirty";

    private final Map<Integer, Long> written = new HashMap<>();
    private final long[] entries = new long[TieredProcess.PAGES];

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String meaning() {
        return "pages that were written, by soft-dirty bits; what is only read looks idle";
    }

    @Override
    public boolean isByPage() {
        return true;
    }

    /** Whether this kernel has the bit: a page that was just written must show it. */
    static boolean isThere() {
        try (Arena arena = Arena.ofConfined();
                Fd pagemap = Libc.open("/proc/self/pagemap", Linux.O_RDONLY)) {
            MemorySegment page = Libc.map(arena, Libc.pageSizeBytes(), Linux.PROT_READ | Linux.PROT_WRITE,
                    Linux.MAP_PRIVATE | Linux.MAP_ANONYMOUS, null, 0, "one page");
            page.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            MemorySegment entry = arena.allocate(8, 8);
            return pagemap.pread(entry, page.address() / Libc.pageSizeBytes() * 8) == 8
                    && (entry.get(ValueLayout.JAVA_LONG, 0) & TieredProcess.SOFT_DIRTY) != 0;
        }
    }

    @Override
    public void begin(TieredProcess process, NavigableMap<Long, Integer> batches) {
        batches.forEach((address, batch) -> {
            process.entries(address, TieredProcess.PAGES, entries);
            long bits = dirty(entries);
            if (bits != 0) {
                written.merge(batch, bits, (a, b) -> a | b);
            }
        });
        try {
            Files.writeString(process.file("clear_refs"), "4");
        } catch (IOException e) {
            if (process.isSame()) {
                throw new UncheckedIOException("clear the soft-dirty bits of process " + process.pid + ": "
                        + e.getMessage() + "; run as its user or as root: sudo scripts/bascule tier ...", e);
            }
        }
    }

    static long dirty(long[] entries) {
        long bits = 0;
        for (int i = 0; i < entries.length; i++) {
            bits |= (entries[i] >>> 55 & 1) << i;
        }
        return bits;
    }

    @Override
    public long take(TieredProcess process, int batch, Mapping mapping, long[] now, long present) {
        Long bits = written.remove(batch);
        return bits == null ? 0 : bits & present;
    }
}
