package dev.bascule.loopback;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Device memory mapped uncached: every load is a round trip that also pushes this window's posted stores ahead of it;
 * stores are posted in program order. See {@link LinkedMemory#host}.
 */
public final class UcWindow extends Window {
    private final MemorySegment memory;
    private final long sizeBytes;
    private final @Nullable Arrivals arrivals;
    private final long readNanos;
    private final long writeNanos;
    private long lastDueNanos;

    UcWindow(MemorySegment memory, @Nullable Arrivals arrivals, LinkProfile profile) {
        this.memory = memory;
        this.sizeBytes = memory.byteSize();
        this.arrivals = arrivals;
        this.readNanos = profile.mmioReadUcNanos();
        this.writeNanos = profile.mmioWriteNanos();
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public MemoryType type() {
        return MemoryType.UC;
    }

    @Override
    public long loadAcquire(long offset) {
        Spin.nanos(readNanos);
        if (lastDueNanos != 0) { // a read does not pass posted writes
            Spin.until(lastDueNanos);
            lastDueNanos = 0;
        }
        return Words.loadAcquire(memory, offset);
    }

    @Override
    public void storeRelease(long offset, long value) {
        Words.check(offset, sizeBytes);
        Spin.nanos(writeNanos);
        if (arrivals != null) {
            lastDueNanos = arrivals.stamp(offset >>> 6);
        }
        Words.storeRelease(memory, offset, value);
    }

    @Override
    public void writeFence() {
        VarHandle.releaseFence();
    }

    @Override
    public void invalidateLine(long offset) {
        Words.check(offset, sizeBytes);
    }

    @Override
    public void prefetchLine(long offset) {
        Words.check(offset, sizeBytes);
    }
}
