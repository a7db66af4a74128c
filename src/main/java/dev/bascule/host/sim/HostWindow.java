package dev.bascule.host.sim;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;

/** Host memory as its own CPUs see it: write-back; what it costs is part of the kernel's figures. */
final class HostWindow extends Window {
    private final HostMemory memory;
    private final SimTime time;

    HostWindow(HostMemory memory, SimTime time) {
        this.memory = memory;
        this.time = time;
    }

    @Override
    public long sizeBytes() {
        return memory.words.length * 8L;
    }

    @Override
    public MemoryType type() {
        return MemoryType.WB;
    }

    @Override
    public long loadAcquire(long offset) {
        memory.fromNic.apply(time.nanoTime(), memory.words);
        return memory.words[(int) (offset >>> 3)];
    }

    @Override
    public void storeRelease(long offset, long value) {
        memory.words[(int) (offset >>> 3)] = value;
    }

    @Override
    public void writeFence() {
        // coherent
    }

    @Override
    public void invalidateLine(long offset) {
        // coherent
    }

    @Override
    public void prefetchLine(long offset) {
        // at the speed of its cache
    }
}
