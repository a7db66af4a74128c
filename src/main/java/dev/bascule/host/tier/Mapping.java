package dev.bascule.host.tier;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One mapping of a process, as {@code /proc/PID/maps} describes it.
 *
 * @param start first byte
 * @param end byte behind the last
 * @param identity what it maps, as one number: rights, device, inode, and offset
 */
record Mapping(long start, long end, long identity) {
    /** The mappings whose pages can lie in either tier: no devices, no pages of the kernel, nothing unreachable. */
    static List<Mapping> parse(List<String> maps) {
        List<Mapping> all = new ArrayList<>();
        for (String line : maps) {
            Mapping one = parse(line);
            if (one != null) {
                all.add(one);
            }
        }
        return all;
    }

    /** {@code 7f00-7f10 rw-p 00000000 08:01 12345 /path}; null for one that is left alone. */
    static @Nullable Mapping parse(String line) {
        String[] words = line.split(" +", 6);
        int dash = words[0].indexOf('-');
        if (words.length < 5 || dash < 0) {
            throw new IllegalArgumentException("not a line of /proc/PID/maps: " + line);
        }
        String name = words.length == 6 ? words[5] : "";
        if (words[1].charAt(0) != 'r' || name.startsWith("[v") || isDevice(name)) {
            return null;
        }
        long identity = 31L * (31L * words[1].hashCode() + words[2].hashCode())
                + ((long) words[3].hashCode() << 32 ^ words[4].hashCode());
        return new Mapping(Long.parseUnsignedLong(words[0].substring(0, dash), 16),
                Long.parseUnsignedLong(words[0].substring(dash + 1), 16), identity);
    }

    /** Memory of a driver; /dev/shm is a file system, and /dev/zero means memory without a name. */
    private static boolean isDevice(String name) {
        return name.startsWith("/dev/") && !name.startsWith("/dev/shm/") && !name.startsWith("/dev/zero");
    }

    boolean holds(long address) {
        return address >= start && address < end;
    }
}
