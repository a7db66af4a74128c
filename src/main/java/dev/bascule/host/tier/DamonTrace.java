package dev.bascule.host.tier;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The event in which DAMON tells of a region at the end of each of its own periods, {@code damon:damon_aggregated}, through
 * an instance of tracefs: all periods since the last look, in a few reads. The files of {@code tried_regions} tell of one
 * period only, take two reads a region, and whoever asks for them waits for the end of a period. One thread.
 */
final class DamonTrace implements AutoCloseable {
    static final Path TRACING = Path.of("/sys/kernel/tracing");
    private static final String INSTANCE = "bascule-tier";
    private static final Path EVENT = Path.of("events", "damon", "damon_aggregated");
    private static final int CHUNK = 1 << 16;

    private final Path folder;
    private final Fd pipe;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment chunk = arena.allocate(CHUNK, 8);
    private final byte[] text = new byte[2 * CHUNK];
    private int length;
    private int at;

    private DamonTrace(Path folder, Fd pipe) {
        this.folder = folder;
        this.pipe = pipe;
    }

    /** Null where tracefs is not mounted, or has no such event. */
    static @Nullable DamonTrace open(Path tracing) {
        Path folder = tracing.resolve("instances").resolve(INSTANCE);
        try {
            if (!Files.exists(folder)) { // else one that was killed has left it
                Files.createDirectory(folder);
            }
            Files.writeString(folder.resolve(EVENT).resolve("filter"), "nr_accesses > 0");
            Files.writeString(folder.resolve(EVENT).resolve("enable"), "1");
            return new DamonTrace(folder,
                    Libc.open(folder.resolve("trace_pipe").toString(), Linux.O_RDONLY | Linux.O_NONBLOCK));
        } catch (IOException | NativeException e) {
            return null;
        }
    }

    /** Adds the regions that were accessed since the last look; where events were lost, all there is. */
    void read(TreeMap<Long, Long> regions) {
        for (long count = pipe.read(chunk); count > 0; count = pipe.read(chunk)) {
            MemorySegment.copy(chunk, ValueLayout.JAVA_BYTE, 0, text, length, (int) count);
            int end = length + (int) count;
            int begin = 0;
            for (int i = length; i < end; i++) {
                if (text[i] == '\n') {
                    parse(regions, begin, i);
                    begin = i + 1;
                }
            }
            length = Math.min(end - begin, text.length - CHUNK); // what has no end yet
            System.arraycopy(text, begin, text, 0, length);
        }
    }

    /** {@code kdamond.0-99 [000] ..... 1.5: damon_aggregated: target_id=0 nr_regions=10 4096-8192: 2 7}. */
    private void parse(TreeMap<Long, Long> regions, int from, int to) {
        int last = from - 1;
        for (at = from; at < to; at++) {
            if (text[at] == '=') {
                last = at;
            }
        }
        if (last < from) { // CPU:0 [LOST 12 EVENTS]
            if (to > from && text[to - 1] == ']') {
                Damon.add(regions, 0, Long.MAX_VALUE);
            }
            return;
        }
        at = last;
        number(to); // of regions
        long start = number(to);
        long end = number(to);
        if (number(to) > 0 && end > start) {
            Damon.add(regions, start, end);
        }
    }

    /** The next number of the line; 0 if there is none. */
    private long number(int to) {
        while (at < to && !isDigit(text[at])) {
            at++;
        }
        long value = 0;
        while (at < to && isDigit(text[at])) {
            value = value * 10 + text[at++] - '0';
        }
        return value;
    }

    private static boolean isDigit(byte one) {
        return one >= '0' && one <= '9';
    }

    @Override
    public void close() {
        pipe.close();
        arena.close();
        try {
            Files.writeString(folder.resolve(EVENT).resolve("enable"), "0");
            Files.delete(folder);
        } catch (IOException e) {
            return; // the next one takes it over
        }
    }
}
