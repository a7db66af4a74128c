package dev.bascule.study.sim;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;

/** Memory as the cores beside it see it: write-back and coherent; what that costs is part of their own figures. */
final class SimWriteBackWindow extends Window {
    private final CoherentMemory memory;
    private final SimTime time;

    SimWriteBackWindow(CoherentMemory memory, SimTime time) {
        super(memory.words() * 8L, MemoryType.WB);
        this.memory = memory;
        this.time = time;
    }

    @Override
    public long loadAcquire(long offset) {
        return memory.load(time.nanoTime(), (int) (offset >>> 3));
    }

    @Override
    public void storeRelease(long offset, long value) {
        memory.store(time.nanoTime(), (int) (offset >>> 3), value);
    }

    @Override
    public void loadLine(long offset, long[] into, int at) {
        memory.loadLine(time.nanoTime(), (int) (offset >>> 3), into, at);
    }

    @Override
    public void storeLine(long offset, long[] from, int at) {
        memory.storeLine(time.nanoTime(), (int) (offset >>> 3), from, at);
    }

    @Override
    public void writeFence() {
        // stores of one core are seen in order
    }

    @Override
    public boolean hasAtomics() {
        return true;
    }

    @Override
    public long compareAndSwap(long offset, long expected, long next) {
        return memory.compareAndSwap(time, (int) (offset >>> 3), expected, next);
    }
}
