package dev.bascule.loopback;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Device memory mapped uncached: every load is a round trip that also pushes this window's posted stores ahead of it;
 * stores are posted in program order. See {@link LinkedMemory#host}.
 */
final class UcWindow extends Window {
    private final MemorySegment memory;
    private final @Nullable ArrivalTimes arrivals;
    private final long readNanos;
    private final long writeNanos;
    private long lastDueNanos;

    UcWindow(MemorySegment memory, @Nullable ArrivalTimes arrivals, LinkProfile profile) {
        super(memory.byteSize(), MemoryType.UC);
        this.memory = memory;
        this.arrivals = arrivals;
        this.readNanos = profile.mmioReadUcNanos();
        this.writeNanos = profile.mmioWriteNanos();
    }

    @Override
    public long loadAcquire(long offset) {
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
        Spin.nanos(writeNanos);
        if (arrivals != null) {
            lastDueNanos = arrivals.stamp(offset >>> 6);
        }
        WordAccess.storeRelease(memory, offset, value);
    }

    @Override
    public void invalidateLine(long offset) {
        WordAccess.check(offset, sizeBytes());
    }

    @Override
    public void prefetchLine(long offset) {
        WordAccess.check(offset, sizeBytes());
    }
}
