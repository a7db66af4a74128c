package dev.bascule.study.sim;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;

/**
 * NIC memory on a coherent link (CXL-like) as the host sees it, as {@code loopback.CoherentWindow} does: a load of a line
 * that the NIC changed since the host last saw it pays the line's transfer, any other nothing. A store costs the host
 * nothing and reaches the NIC when its line can have crossed. A compare-and-swap of a word that the NIC had last pays the
 * transfer.
 */
final class SimCoherentWindow extends Window {
    private final NicMemory memory;
    private final SimTime time;
    private final BusCounters bus;
    private final SocketCosts sockets;
    private final long lineNanos;
    private final long[] held;

    SimCoherentWindow(NicMemory memory, SimTime time, SimCosts costs, BusCounters bus, SocketCosts sockets) {
        super(memory.nic.length * 8L, MemoryType.WB);
        this.memory = memory;
        this.time = time;
        this.bus = bus;
        this.sockets = sockets;
        lineNanos = costs.link().sharedLine();
        held = new long[memory.nic.length];
    }

    @Override
    public long loadAcquire(long offset) {
        int word = (int) (offset >>> 3);
        if (memory.isInstant()) {
            return memory.seen[word];
        }
        memory.toHost.apply(time.nanoTime(), memory.seen);
        if (held[word] != memory.seen[word]) {
            transfer(word & ~7);
        }
        return held[word];
    }

    private void transfer(int first) {
        bus.hostReads++;
        time.charge(lineNanos >> 1);
        memory.toHost.apply(time.nanoTime(), memory.seen);
        System.arraycopy(memory.seen, first, held, first, 8);
        time.charge(bus.toHost.send(time.nanoTime(), LINE_BYTES) + lineNanos - (lineNanos >> 1) + sockets.fillNanos());
    }

    @Override
    public void storeRelease(long offset, long value) {
        int word = (int) (offset >>> 3);
        held[word] = value;
        if (memory.isInstant()) {
            memory.storeFromHost(0, word, value);
        } else {
            bus.hostWrites++;
            long now = time.nanoTime();
            memory.storeFromHost(now + lineNanos + bus.toNic.send(now, Long.BYTES), word, value);
        }
    }

    @Override
    public boolean hasAtomics() {
        return true;
    }

    @Override
    public long compareAndSwap(long offset, long expected, long next) {
        int word = (int) (offset >>> 3);
        long found = memory.compareAndSwapFromHost(time, word, expected, next);
        bus.hostWrites++;
        held[word] = found == expected ? next : found;
        return found;
    }

    @Override
    public void writeFence() {
        // stores of one core are seen in order
    }
}
