package dev.bascule.memory;

import dev.bascule.ffi.KernelText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** On pages of what size memory lies, by {@code /proc/self/smaps}. */
public final class PageSizes {
    private static final Path SMAPS = Path.of("/proc/self/smaps");
    private static final Pattern RANGE = Pattern.compile("([0-9a-f]+)-([0-9a-f]+) ");
    private static final Pattern SIZE = Pattern.compile("KernelPageSize:\\s+(\\d+) kB");

    private PageSizes() {}

    /** The size in bytes of the smallest pages under memory; 0 if part of it is not mapped. */
    public static long of(MemorySegment memory) {
        try {
            return of(KernelText.lines(SMAPS), memory.address(), memory.address() + memory.byteSize());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static long of(List<String> smaps, long from, long end) {
        long smallest = Long.MAX_VALUE;
        long covered = from;
        boolean inside = false;
        for (String line : smaps) {
            Matcher range = RANGE.matcher(line);
            Matcher size = SIZE.matcher(line);
            if (range.lookingAt()) { // the name behind it may hold anything
                long first = Long.parseUnsignedLong(range.group(1), 16);
                long last = Long.parseUnsignedLong(range.group(2), 16);
                inside = first <= covered && covered < last && covered < end;
                covered = inside ? last : covered;
            } else if (inside && size.matches()) {
                smallest = Math.min(smallest, Long.parseLong(size.group(1)) * 1024);
            }
        }
        return covered < end ? 0 : smallest;
    }
}
