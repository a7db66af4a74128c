package dev.bascule.nic.smartnic;

import dev.bascule.device.Iova;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.util.Arrays;
import java.util.Objects;

/**
 * Host memory by messages: a load fetches a line and keeps it until {@link #invalidateLine}, a store is posted. What the
 * host refuses reads as all ones, as on PCIe, and is counted.
 */
final class DmaLineWindow extends Window {
    private static final int LINES = 16;
    private static final int WORDS = LINE_BYTES / Long.BYTES;

    private final SocketCores cores;
    private final long base;
    private final long[] words = new long[LINES * WORDS];
    private final long[] lines = new long[LINES];

    DmaLineWindow(SocketCores cores, Iova iova, long lengthBytes) {
        super(lengthBytes, MemoryType.WT);
        this.cores = cores;
        base = iova.value();
        Arrays.fill(lines, -1);
    }

    /** Where the line is in {@link #words}, fetched if need be. */
    private int cached(long offset) {
        long line = offset >>> 6;
        int place = (int) (line % LINES);
        int at = place * WORDS;
        if (lines[place] != line) {
            lines[place] = -1;
            if (cores.read(base + (line << 6), words, at)) {
                lines[place] = line;
            } else {
                Arrays.fill(words, at, at + WORDS, -1L);
            }
        }
        return at;
    }

    @Override
    public long loadAcquire(long offset) {
        Objects.checkFromIndexSize(offset, Long.BYTES, sizeBytes());
        return words[cached(offset) + (int) (offset >>> 3 & 7)];
    }

    @Override
    public void loadLine(long offset, long[] into, int at) {
        Objects.checkFromIndexSize(offset, LINE_BYTES, sizeBytes());
        System.arraycopy(words, cached(offset), into, at, WORDS);
    }

    @Override
    public void storeRelease(long offset, long value) {
        Objects.checkFromIndexSize(offset, Long.BYTES, sizeBytes());
        cores.write(base + offset, value);
        int place = (int) ((offset >>> 6) % LINES);
        if (lines[place] == offset >>> 6) {
            words[place * WORDS + (int) (offset >>> 3 & 7)] = value;
        }
    }

    @Override
    public void storeLine(long offset, long[] from, int at) {
        Objects.checkFromIndexSize(offset, LINE_BYTES, sizeBytes());
        cores.write(base + offset, from, at);
        int place = (int) ((offset >>> 6) % LINES);
        if (lines[place] == offset >>> 6) {
            System.arraycopy(from, at, words, place * WORDS, WORDS);
        }
    }

    @Override
    public boolean hasAtomics() {
        return true;
    }

    /** An AtomicOp, which the card sends after the writes before it and answers with what was there. */
    @Override
    public long compareAndSwap(long offset, long expected, long next) {
        Objects.checkFromIndexSize(offset, Long.BYTES, sizeBytes());
        invalidateLine(offset);
        return cores.compareAndSwap(base + offset, expected, next);
    }

    @Override
    public void invalidateLine(long offset) {
        Objects.checkFromIndexSize(offset, Long.BYTES, sizeBytes());
        int place = (int) ((offset >>> 6) % LINES);
        if (lines[place] == offset >>> 6) {
            lines[place] = -1;
        }
    }
}
