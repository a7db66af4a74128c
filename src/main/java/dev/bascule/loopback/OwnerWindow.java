package dev.bascule.loopback;

import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A memory seen by the cores that own it: write-back and coherent. What the other side posts is looked at only after
 * {@link #arrived(long)} says so; at zero delay that is always.
 */
public final class OwnerWindow extends Window {
    private final DirectWindow memory;
    private final @Nullable Arrivals arrivals;

    OwnerWindow(MemorySegment memory, @Nullable Arrivals arrivals) {
        this.memory = new DirectWindow(memory);
        this.arrivals = arrivals;
    }

    @Override
    public long sizeBytes() {
        return memory.sizeBytes();
    }

    @Override
    public MemoryType type() {
        return MemoryType.WB;
    }

    @Override
    public long loadAcquire(long offset) {
        return memory.loadAcquire(offset);
    }

    @Override
    public void storeRelease(long offset, long value) {
        memory.storeRelease(offset, value);
    }

    @Override
    public void loadLine(long offset, long[] into, int at) {
        memory.loadLine(offset, into, at);
    }

    @Override
    public void storeLine(long offset, long[] from, int at) {
        memory.storeLine(offset, from, at);
    }

    @Override
    public void writeFence() {
        memory.writeFence();
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
