package dev.bascule.loopback;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Device memory on a coherent link (CXL-like) with an injected line transfer: a load of a line that the other side
 * changed since this window last saw it pays the transfer once. Stores are free; write ownership is not modelled.
 */
final class CoherentWindow extends Window {
    private static final int SLOTS = 1024;
    private static final int WORDS = 8;

    private final MemorySegment memory;
    private final long lineNanos;
    private final long[] tags = new long[SLOTS];
    private final long[] seen = new long[SLOTS * WORDS];

    CoherentWindow(MemorySegment memory, long lineNanos) {
        super(memory.byteSize(), MemoryType.WB);
        this.memory = memory;
        this.lineNanos = lineNanos;
        Arrays.fill(tags, -1);
    }

    @Override
    public long loadAcquire(long offset) {
        long value = WordAccess.loadAcquire(memory, offset);
        long line = offset >>> 6;
        int slot = (int) line & SLOTS - 1;
        if (tags[slot] != line || seen[slot * WORDS + ((int) (offset >>> 3) & 7)] != value) {
            Spin.nanos(lineNanos);
            for (int word = 0; word < WORDS; word++) {
                seen[slot * WORDS + word] = WordAccess.loadAcquire(memory, (line << 6) + (word << 3));
            }
            tags[slot] = line;
        }
        return value;
    }

    @Override
    public boolean hasAtomics() {
        return true;
    }

    /** As a load and a store: the line is transferred if the other side has changed it. */
    @Override
    public long compareAndSwap(long offset, long expected, long next) {
        loadAcquire(offset);
        long found = WordAccess.compareAndSwap(memory, offset, expected, next);
        int slot = (int) (offset >>> 6) & SLOTS - 1;
        seen[slot * WORDS + ((int) (offset >>> 3) & 7)] = found == expected ? next : found;
        return found;
    }

    @Override
    public void storeRelease(long offset, long value) {
        WordAccess.storeRelease(memory, offset, value);
        long line = offset >>> 6;
        int slot = (int) line & SLOTS - 1;
        if (tags[slot] == line) {
            seen[slot * WORDS + ((int) (offset >>> 3) & 7)] = value;
        }
    }
}
