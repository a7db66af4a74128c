package dev.bascule.host.sim;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;

/** NIC memory as the NIC's own cores see it: write-back and coherent; its cost is part of the agent's. */
final class NicWindow extends Window {
    private final NicMemory memory;
    private final SimTime time;

    NicWindow(NicMemory memory, SimTime time) {
        this.memory = memory;
        this.time = time;
    }

    @Override
    public long sizeBytes() {
        return memory.nic.length * 8L;
    }

    @Override
    public MemoryType type() {
        return MemoryType.WB;
    }

    @Override
    public long loadAcquire(long offset) {
        memory.toNic.apply(time.nanoTime(), memory.nic);
        return memory.nic[(int) (offset >>> 3)];
    }

    @Override
    public void storeRelease(long offset, long value) {
        memory.storeFromNic(time.nanoTime(), (int) (offset >>> 3), value);
    }

    @Override
    public void writeFence() {
        // stores of one core are seen in order
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
