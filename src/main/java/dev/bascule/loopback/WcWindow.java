package dev.bascule.loopback;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Device memory mapped write-combining. Stores gather in a few 64-byte buffers. A buffer leaves, whole or in part, when
 * another line needs it, at {@link #writeFence()}, and now and then for no visible reason; its 8-byte pieces leave in
 * any order (seeded). Loads are uncached; a load of a line that is buffered pushes it out first (a CPU sees its own
 * stores). Source: Intel SDM vol. 3, 12.3.1 "Buffering of Write Combining Memory Locations". See {@link
 * LinkedMemory#host}.
 */
final class WcWindow extends Window {
    /** Buffers of a window unless told otherwise; x86 cores have 8 to 12. */
    public static final int DEFAULT_BUFFERS = 10;

    /** One in this many newly opened buffers pushes a part of some buffer out early; a power of two. */
    static final int EARLY_ONE_IN = 32;

    private static final int WORDS = 8;
    private static final int WHOLE = 0xff;
    private static final int IN_PIECES_ONE_IN = 16; // a power of two

    private final MemorySegment memory;
    private final @Nullable ArrivalTimes arrivals;
    private final long readNanos;
    private final long writeNanos;
    private final SmallRandom random;
    private final long[] data;
    private final long[] lines;
    private final int[] filled;
    private int used;
    private int current;
    private long lastDueNanos;

    WcWindow(MemorySegment memory, @Nullable ArrivalTimes arrivals, LinkProfile profile, long seed, int buffers) {
        if (buffers < 1 || buffers > 64) {
            throw new IllegalArgumentException(buffers + " write-combining buffers; there must be 1 to 64");
        }
        super(memory.byteSize(), MemoryType.WC);
        this.memory = memory;
        this.arrivals = arrivals;
        this.readNanos = profile.mmioReadWcNanos();
        this.writeNanos = profile.mmioWriteNanos();
        this.random = new SmallRandom(seed);
        this.data = new long[buffers * WORDS];
        this.lines = new long[buffers];
        this.filled = new int[buffers];
        Arrays.fill(lines, -1);
    }

    @Override
    public long loadAcquire(long offset) {
        WordAccess.check(offset, sizeBytes());
        if (used > 0) {
            pushOut(offset >>> 6);
        }
        Spin.nanos(readNanos);
        if (lastDueNanos != 0) { // a read does not pass posted writes
            Spin.until(lastDueNanos);
            lastDueNanos = 0;
        }
        return WordAccess.loadAcquire(memory, offset);
    }

    @Override
    public void storeRelease(long offset, long value) {
        WordAccess.check(offset, sizeBytes());
        long line = offset >>> 6;
        int buffer = lines[current] == line ? current : bufferFor(line);
        int word = (int) (offset >>> 3) & 7;
        data[buffer * WORDS + word] = value;
        filled[buffer] |= 1 << word;
    }

    @Override
    public void storeLine(long offset, long[] from, int at) {
        WordAccess.checkLine(offset, sizeBytes());
        long line = offset >>> 6;
        int buffer = lines[current] == line ? current : bufferFor(line);
        System.arraycopy(from, at, data, buffer * WORDS, WORDS);
        filled[buffer] = WHOLE;
    }

    @Override
    public void writeFence() {
        if (used == 1) {
            emit(0, filled[0]);
            lines[0] = -1;
        } else if (used > 1) {
            int start = random.below(used);
            for (int i = 0; i < used; i++) {
                int buffer = start + i < used ? start + i : start + i - used;
                emit(buffer, filled[buffer]);
                lines[buffer] = -1;
            }
        }
        used = 0;
        current = 0;
        VarHandle.releaseFence(); // partner: the reader's acquire load of a line's publishing word
    }

    @Override
    public void invalidateLine(long offset) {
        WordAccess.check(offset, sizeBytes());
    }

    @Override
    public void prefetchLine(long offset) {
        WordAccess.check(offset, sizeBytes());
    }

    private int bufferFor(long line) {
        for (int i = 0; i < used; i++) {
            if (lines[i] == line) {
                current = i;
                return i;
            }
        }
        int draw = random.next();
        if (used == lines.length) {
            if ((draw & 1) == 0) {
                emitPart(random.below(used));
            }
            evict(random.below(used));
        } else if (used > 0 && (draw & EARLY_ONE_IN - 1) == 0) {
            emitPart(random.below(used));
        }
        int buffer = used++;
        lines[buffer] = line;
        filled[buffer] = 0;
        current = buffer;
        return buffer;
    }

    private void pushOut(long line) {
        for (int i = 0; i < used; i++) {
            if (lines[i] == line) {
                evict(i);
                current = 0;
                return;
            }
        }
    }

    private void evict(int buffer) {
        emit(buffer, filled[buffer]);
        int last = --used;
        if (buffer != last) {
            System.arraycopy(data, last * WORDS, data, buffer * WORDS, WORDS);
            lines[buffer] = lines[last];
            filled[buffer] = filled[last];
        }
        lines[last] = -1;
    }

    private void emitPart(int buffer) {
        int pieces = filled[buffer] & random.next();
        if (pieces != 0) {
            emit(buffer, pieces);
            filled[buffer] &= ~pieces;
        }
    }

    /**
     * Sends pieces of a buffer in one of 32 orders; the stores are releases so that the arrival stamp goes first. A whole
     * buffer mostly leaves as one burst. OVERHEAD: a line with its fence takes 26 ns of CPU time, 35 ns in pieces.
     */
    private void emit(int buffer, int pieces) {
        Spin.nanos(writeNanos);
        long line = lines[buffer];
        if (arrivals != null && pieces != 0) {
            lastDueNanos = arrivals.stamp(line);
        }
        int draw = random.next();
        if (pieces == WHOLE && (draw & IN_PIECES_ONE_IN - 1 << 8) != 0) {
            VarHandle.releaseFence();
            MemorySegment.copy(data, buffer * WORDS, memory, WordAccess.LAYOUT, line << 6, WORDS);
            return;
        }
        int stride = draw & 6 | 1;
        int word = draw >>> 3 & 7;
        for (int i = 0; i < WORDS; i++) {
            if ((pieces & 1 << word) != 0) {
                WordAccess.storeRelease(memory, (line << 6) + (word << 3), data[buffer * WORDS + word]);
            }
            word = word + stride & 7;
        }
    }
}
