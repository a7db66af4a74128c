package dev.bascule.loopback;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A direct-mapped cache of 64-byte lines that is not coherent with the memory behind it: a line stays as it was read
 * until it is dropped or another line takes its place. A read started early (prefetch) samples the memory when half the
 * round trip is over, and a load waits only for the rest. Belongs to one thread.
 */
final class LineCache {
    private static final int MAX_LINES = 4096;
    private static final int WORDS = 8;
    private static final int IN_PIECES_ONE_IN = 16; // a power of two

    private final MemorySegment memory;
    private final long readNanos;
    private final long[] tags;
    private final long[] data;
    private final long @Nullable [] startedNanos;
    private final int mask;
    private final SmallRandom random;

    LineCache(MemorySegment memory, long readNanos, long seed) {
        this.memory = memory;
        this.readNanos = readNanos;
        long lines = Math.clamp(memory.byteSize() >>> 6, 1, MAX_LINES);
        int slots = Math.max(1, Integer.highestOneBit((int) lines * 2 - 1));
        this.mask = slots - 1;
        this.tags = new long[slots];
        this.data = new long[slots * WORDS];
        this.startedNanos = readNanos > 0 ? new long[slots] : null;
        this.random = new SmallRandom(seed);
        Arrays.fill(tags, -1);
    }

    boolean holds(long line) {
        return tags[(int) line & mask] == line;
    }

    /** A word of a line; reads the line first unless it is held. The offset must have been checked. */
    long load(long offset) {
        long line = offset >>> 6;
        int slot = (int) line & mask;
        if (tags[slot] != line) {
            read(line, slot);
        } else if (startedNanos != null && startedNanos[slot] != 0) {
            finish(line, slot);
        }
        return data[slot * WORDS + ((int) (offset >>> 3) & 7)];
    }

    /** All eight words of a line; reads it first unless it is held. The offset is a line's and must have been checked. */
    void loadLine(long offset, long[] into, int at) {
        into[at] = load(offset);
        System.arraycopy(data, ((int) (offset >>> 6) & mask) * WORDS + 1, into, at + 1, WORDS - 1);
    }

    /** Keeps a held copy in step with an own store. */
    void update(long offset, long value) {
        long line = offset >>> 6;
        int slot = (int) line & mask;
        if (tags[slot] == line) {
            data[slot * WORDS + ((int) (offset >>> 3) & 7)] = value;
        }
    }

    void drop(long line) {
        int slot = (int) line & mask;
        if (tags[slot] == line) {
            tags[slot] = -1;
        }
    }

    void prefetch(long line) {
        int slot = (int) line & mask;
        if (tags[slot] != line) {
            copy(line, slot);
            tags[slot] = line;
            if (startedNanos != null) {
                startedNanos[slot] = System.nanoTime();
            }
        }
    }

    private void read(long line, int slot) {
        if (startedNanos != null) {
            long started = System.nanoTime();
            startedNanos[slot] = 0;
            Spin.until(started + (readNanos >> 1));
            copy(line, slot);
            Spin.until(started + readNanos);
        } else {
            copy(line, slot);
        }
        tags[slot] = line;
    }

    private void finish(long line, int slot) {
        long[] pending = startedNanos;
        if (pending == null) {
            return;
        }
        long half = pending[slot] + (readNanos >> 1);
        if (System.nanoTime() - half < 0) {
            Spin.until(half);
            copy(line, slot);
        }
        Spin.until(pending[slot] + readNanos);
        pending[slot] = 0;
    }

    /**
     * A fill comes as one burst; now and then in seeded pieces, since nothing promises that it does. OVERHEAD: a poll
     * that misses takes 8.6 ns of CPU time, 19.5 ns with eight checked loads (emulated line, no latency).
     */
    private void copy(long line, int slot) {
        int draw = random.next();
        if ((draw & IN_PIECES_ONE_IN - 1) != 0) {
            MemorySegment.copy(memory, WordAccess.LAYOUT, line << 6, data, slot * WORDS, WORDS);
            VarHandle.acquireFence();
            return;
        }
        int flip = draw >>> 8 & 7;
        for (int i = 0; i < WORDS; i++) {
            int word = i ^ flip;
            data[slot * WORDS + word] = WordAccess.loadAcquire(memory, (line << 6) + (word << 3));
        }
    }
}
