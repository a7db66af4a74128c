package dev.bascule.loopback;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Host memory as a device sees it: reads fetch a line and keep it until {@link #invalidateLine(long)} (the rules of
 * {@link MemoryType#WT}); writes are posted in order. Only mapped ranges can be reached: outside, a load gives all ones,
 * a store is lost, and the fault is counted here and in the {@link MappedRanges}. See {@link LinkedMemory#dma}.
 */
public final class DmaWindow extends Window {
    private final MemorySegment memory;
    private final @Nullable ArrivalTimes arrivals;
    private final MappedRanges ranges;
    private final LineCache cache;
    private final long readNanos;
    private long stampedLine = -1;
    private long generation = -1;
    private long unfinished; // generation of a change that was waited for long enough; 0: none
    private long mappedStart;
    private long mappedEnd;
    private long faults;

    DmaWindow(MemorySegment memory, @Nullable ArrivalTimes arrivals, LinkProfile profile, MappedRanges ranges,
            long seed) {
        super(memory.byteSize(), MemoryType.WT);
        this.memory = memory;
        this.arrivals = arrivals;
        this.ranges = ranges;
        readNanos = profile.dmaReadNanos();
        this.cache = new LineCache(memory, profile.dmaReadNanos(), seed);
    }

    /** Accesses of this window outside mapped ranges. */
    long faultCount() {
        return faults;
    }

    @Override
    public long loadAcquire(long offset) {
        WordAccess.check(offset, sizeBytes());
        if (!cache.holds(offset >>> 6) && !mapped(offset)) {
            return fault(offset, false);
        }
        return cache.load(offset);
    }

    @Override
    public void storeRelease(long offset, long value) {
        WordAccess.check(offset, sizeBytes());
        if (!mapped(offset)) {
            fault(offset, true);
            return;
        }
        long line = offset >>> 6;
        if (arrivals != null && line != stampedLine) {
            arrivals.stamp(line);
            stampedLine = line;
        }
        WordAccess.storeRelease(memory, offset, value);
        cache.update(offset, value);
    }

    @Override
    public void loadLine(long offset, long[] into, int at) {
        WordAccess.checkLine(offset, sizeBytes());
        if (!cache.holds(offset >>> 6) && !mapped(offset)) {
            java.util.Arrays.fill(into, at, at + LINE_BYTES / Long.BYTES, fault(offset, false));
        } else {
            cache.loadLine(offset, into, at);
        }
    }

    @Override
    public void writeFence() {
        stampedLine = -1;
        super.writeFence();
    }

    @Override
    public void invalidateLine(long offset) {
        WordAccess.check(offset, sizeBytes());
        cache.drop(offset >>> 6);
    }

    @Override
    public void prefetchLine(long offset) {
        WordAccess.check(offset, sizeBytes());
        if (mapped(offset)) {
            cache.prefetch(offset >>> 6);
        }
    }

    @Override
    public boolean hasAtomics() {
        return true;
    }

    /** An AtomicOp of the device: a request that waits for its completion, as a read does, and does not overtake writes. */
    @Override
    public long compareAndSwap(long offset, long expected, long next) {
        WordAccess.check(offset, sizeBytes());
        if (!mapped(offset)) {
            return fault(offset, true);
        }
        Spin.nanos(readNanos);
        cache.drop(offset >>> 6);
        stampedLine = -1;
        return WordAccess.compareAndSwap(memory, offset, expected, next);
    }

    private boolean mapped(long offset) {
        if (offset >= mappedStart && offset < mappedEnd && generation == ranges.generation()) {
            return true;
        }
        return lookUp(offset);
    }

    private boolean lookUp(long offset) {
        if (unfinished != 0 && unfinished == ranges.generation()) {
            return false;
        }
        for (int attempt = 0; attempt < 1000; attempt++) {
            long before = ranges.generation();
            long pair = ranges.find(offset);
            long start = pair < 0 ? 0 : ranges.start(pair);
            long end = pair < 0 ? 0 : ranges.end(pair);
            VarHandle.acquireFence();
            if ((before & 1) == 0 && before == ranges.generation()) {
                generation = before;
                mappedStart = start;
                mappedEnd = end;
                return pair >= 0;
            }
            Thread.onSpinWait();
        }
        long last = ranges.generation();
        unfinished = (last & 1) == 0 ? 0 : last;
        return false; // the owner died in the middle of a change, or never stops changing: nothing is mapped
    }

    private long fault(long offset, boolean write) {
        faults++;
        ranges.recordFault(offset, write);
        return -1L;
    }
}
