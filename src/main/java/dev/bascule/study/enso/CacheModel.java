package dev.bascule.study.enso;

import java.util.Arrays;

/**
 * Caches of a host whose machine has no counters: first and second level of each core, a last level that all share and
 * that devices write into. Least recently used goes first. Two prefetchers, as Intel describes them: a core that reads
 * lines upwards gets the next into its first level and two more into its second, within a page; both are never late.
 * Sizes are those of the published measurement's i9-9960X: 32 KiB in 8 ways, 1 MiB in 16, 22 MiB in 11, of which devices
 * write into 2. Not thread-safe.
 */
final class CacheModel {
    /** Where an access was answered. */
    enum Answer {
        FIRST, SECOND, LAST, MEMORY
    }

    private static final int LINE_SHIFT = 6;
    private static final int PAGE_LINES = 64;
    private static final int DEVICE_WAYS = 2;
    private static final int STREAMS = 16;
    private static final int SPREAD_FROM = 4096;

    private final Level[] first;
    private final Level[] second;
    private final Level last = new Level(32_768, 11);
    private final long[][] streams;
    private final int[] nextStream;
    private long accesses;
    private long firstMisses;
    private long secondMisses;
    private long lastMisses;

    CacheModel(int cores) {
        first = new Level[cores];
        second = new Level[cores];
        streams = new long[cores][STREAMS];
        nextStream = new int[cores];
        for (int i = 0; i < cores; i++) {
            first[i] = new Level(64, 8);
            second[i] = new Level(1024, 16);
            Arrays.fill(streams[i], -1);
        }
    }

    /** A core reads or writes the byte at {@code address}. */
    Answer access(int core, long address) {
        long line = address >>> LINE_SHIFT;
        accesses++;
        Answer answer = find(core, line);
        prefetch(core, line);
        return answer;
    }

    private Answer find(int core, long line) {
        if (first[core].touch(line)) {
            return Answer.FIRST;
        }
        firstMisses++;
        boolean inSecond = second[core].touch(line);
        boolean inLast = !inSecond && last.touch(line);
        fill(core, line, true);
        if (inSecond) {
            return Answer.SECOND;
        }
        secondMisses++;
        if (inLast) {
            return Answer.LAST;
        }
        lastMisses++;
        return Answer.MEMORY;
    }

    private void fill(int core, long line, boolean intoFirst) {
        if (intoFirst) {
            first[core].put(line, 0);
        }
        if (!second[core].touch(line)) {
            long victim = second[core].put(line, 0);
            if (victim >= 0 && !last.touch(victim)) {
                last.put(victim, 0); // the last level takes what the second gives up
            }
        }
    }

    private void prefetch(int core, long line) {
        long[] mine = streams[core];
        for (int i = 0; i < STREAMS; i++) {
            if (mine[i] == line) {
                return;
            }
            if (mine[i] == line - 1) {
                mine[i] = line;
                ahead(core, line, 1, true);
                ahead(core, line, 2, false);
                ahead(core, line, 3, false);
                return;
            }
        }
        mine[nextStream[core]] = line;
        nextStream[core] = (nextStream[core] + 1) % STREAMS;
    }

    private void ahead(int core, long line, int distance, boolean intoFirst) {
        if (line / PAGE_LINES == (line + distance) / PAGE_LINES) {
            fill(core, line + distance, intoFirst);
        }
    }

    /** A device writes {@code lengthBytes}: into the last level, and no core has them any more. */
    void deviceWrites(long address, long lengthBytes) {
        long end = address + lengthBytes - 1 >>> LINE_SHIFT;
        for (long line = address >>> LINE_SHIFT; line <= end; line++) {
            for (int core = 0; core < first.length; core++) {
                first[core].drop(line);
                second[core].drop(line);
            }
            if (!last.touch(line)) {
                last.put(line, last.ways - DEVICE_WAYS);
            }
        }
    }

    /** Accesses so far. */
    long accesses() {
        return accesses;
    }

    /** Those that the first level did not have. */
    long firstMisses() {
        return firstMisses;
    }

    /** Those that the second did not have either. */
    long secondMisses() {
        return secondMisses;
    }

    /** Those that went to memory. */
    long lastMisses() {
        return lastMisses;
    }

    /** Counts from 0 again. What is cached stays. */
    void restart() {
        accesses = 0;
        firstMisses = 0;
        secondMisses = 0;
        lastMisses = 0;
    }

    private static final class Level {
        private final int sets;
        final int ways;
        private final long[] lines;
        private final long[] used;
        private long clock;

        Level(int sets, int ways) {
            this.sets = sets;
            this.ways = ways;
            lines = new long[sets * ways];
            used = new long[sets * ways];
            Arrays.fill(lines, -1);
        }

        /** The last level spreads lines by a hash over its parts. */
        private int set(long line) {
            long place = sets > SPREAD_FROM ? line * 0x9E37_79B9_7F4A_7C15L >>> 32 : line;
            return (int) (place & sets - 1) * ways;
        }

        boolean touch(long line) {
            int set = set(line);
            for (int i = set; i < set + ways; i++) {
                if (lines[i] == line) {
                    used[i] = ++clock;
                    return true;
                }
            }
            return false;
        }

        /** Puts a line that is not there into the ways from {@code fromWay} on; says which it pushed out, -1 for none. */
        long put(long line, int fromWay) {
            int set = set(line);
            int oldest = set + fromWay;
            for (int i = oldest; i < set + ways; i++) {
                if (lines[i] == line) {
                    oldest = i;
                    break;
                }
                if (used[i] < used[oldest]) {
                    oldest = i;
                }
            }
            long victim = lines[oldest] == line ? -1 : lines[oldest];
            lines[oldest] = line;
            used[oldest] = ++clock;
            return victim;
        }

        void drop(long line) {
            int set = set(line);
            for (int i = set; i < set + ways; i++) {
                if (lines[i] == line) {
                    lines[i] = -1;
                    used[i] = 0;
                }
            }
        }
    }
}
