package dev.bascule.loopback;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;

/**
 * A memory seen by the cores that own it: write-back and coherent. What the other side posts may be read only after
 * {@link #arrived(long)} says that it is there.
 */
final class WriteBackWindow extends Window {
    private final Window memory;
    private final ArrivalTimes arrivals;

    WriteBackWindow(Window memory, ArrivalTimes arrivals) {
        super(memory.sizeBytes(), MemoryType.WB);
        this.memory = memory;
        this.arrivals = arrivals;
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
    public void invalidateLine(long offset) {
        memory.invalidateLine(offset);
    }

    @Override
    public boolean hasAtomics() {
        return memory.hasAtomics();
    }

    @Override
    public long compareAndSwap(long offset, long expected, long next) {
        return memory.compareAndSwap(offset, expected, next);
    }

    @Override
    public boolean arrived(long offset) {
        return arrivals.arrived(offset >>> 6);
    }
}
