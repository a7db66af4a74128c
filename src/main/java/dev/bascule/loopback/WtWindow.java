package dev.bascule.loopback;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Device memory mapped write-through: loads are cached per line and stay as they were until
 * {@link #invalidateLine(long)}, whatever the device writes meanwhile; {@link #prefetchLine(long)} starts a read and a
 * later load waits only for the rest of the round trip; stores go through in program order and update an own cached
 * copy. Use after the memory is closed is noticed at the next access that reaches the memory. See
 * {@link LinkedMemory#host}.
 */
final class WtWindow extends Window {
    private final MemorySegment memory;
    private final @Nullable ArrivalTimes arrivals;
    private final long writeNanos;
    private final LineCache cache;

    WtWindow(MemorySegment memory, @Nullable ArrivalTimes arrivals, LinkProfile profile, long seed) {
        super(memory.byteSize(), MemoryType.WT);
        this.memory = memory;
        this.arrivals = arrivals;
        this.writeNanos = profile.mmioWriteNanos();
        this.cache = new LineCache(memory, profile.mmioReadWtNanos(), seed);
    }

    @Override
    public long loadAcquire(long offset) {
        WordAccess.check(offset, sizeBytes());
        return cache.load(offset);
    }

    @Override
    public void storeRelease(long offset, long value) {
        WordAccess.check(offset, sizeBytes());
        Spin.nanos(writeNanos);
        if (arrivals != null) {
            arrivals.stamp(offset >>> 6);
        }
        WordAccess.storeRelease(memory, offset, value);
        cache.update(offset, value);
    }

    @Override
    public void loadLine(long offset, long[] into, int at) {
        WordAccess.checkLine(offset, sizeBytes());
        cache.loadLine(offset, into, at);
    }

    @Override
    public void invalidateLine(long offset) {
        WordAccess.check(offset, sizeBytes());
        cache.drop(offset >>> 6);
    }

    @Override
    public void prefetchLine(long offset) {
        WordAccess.check(offset, sizeBytes());
        cache.prefetch(offset >>> 6);
    }
}
