package dev.bascule.loopback;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A memory seen by the cores that own it: write-back and coherent. What the other side posts is looked at only after
 * {@link #arrived(long)} says so; at zero delay that is always.
 */
public final class OwnerWindow extends Window {
    private final MemorySegment memory;
    private final @Nullable Arrivals arrivals;

    OwnerWindow(MemorySegment memory, @Nullable Arrivals arrivals) {
        this.memory = memory;
        this.arrivals = arrivals;
    }

    @Override
    public long sizeBytes() {
        return memory.byteSize();
    }

    @Override
    public MemoryType type() {
        return MemoryType.WB;
    }

    @Override
    public long loadAcquire(long offset) {
        return Words.loadAcquire(memory, offset);
    }

    @Override
    public void storeRelease(long offset, long value) {
        Words.storeRelease(memory, offset, value);
    }

    @Override
    public void loadLine(long offset, long[] into, int at) {
        MemorySegment from = memory;
        for (int i = 0; i < LINE_BYTES / Long.BYTES; i++) {
            into[at + i] = Words.loadAcquire(from, offset + (long) i * Long.BYTES);
        }
    }

    @Override
    public void storeLine(long offset, long[] from, int at) {
        MemorySegment to = memory;
        for (int i = LINE_BYTES / Long.BYTES - 1; i >= 0; i--) {
            Words.storeRelease(to, offset + (long) i * Long.BYTES, from[at + i]);
        }
    }

    @Override
    public void writeFence() {
        VarHandle.releaseFence();
    }

    @Override
    public void invalidateLine(long offset) {}

    @Override
    public void prefetchLine(long offset) {}

    @Override
    public boolean arrived(long offset) {
        return arrivals == null || arrivals.arrived(offset >>> 6);
    }
}
