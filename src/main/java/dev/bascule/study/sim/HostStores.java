package dev.bascule.study.sim;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;

/**
 * NIC memory mapped for the host's stores. Write-combining: stores gather in 64-byte buffers, each of which costs one
 * MMIO write when it leaves, at a fence or when an eleventh line is begun. Uncached: every store costs one. Buffers
 * leave whole here; that they may leave in pieces is what the loopback's windows and the conformance suite are for.
 */
final class HostStores extends Window {
    private static final int BUFFERS = 10;
    private static final int WHOLE = 0xff;

    private final NicMemory memory;
    private final SimTime time;
    private final SimCosts costs;
    private final boolean combining;
    private final BusCounters bus;
    private final long[] line = new long[BUFFERS];
    private final int[] filled = new int[BUFFERS];
    private final long[] data = new long[BUFFERS * 8];
    private int used;

    HostStores(NicMemory memory, SimTime time, SimCosts costs, boolean combining, BusCounters bus) {
        super(memory.nic.length * 8L, combining ? MemoryType.WC : MemoryType.UC);
        this.memory = memory;
        this.time = time;
        this.costs = costs;
        this.combining = combining;
        this.bus = bus;
    }

    @Override
    public long loadAcquire(long offset) {
        writeFence();
        time.charge(costs.link().readUc());
        bus.hostReads++;
        memory.toHost.apply(time.nanoTime(), memory.seen);
        return memory.seen[(int) (offset >>> 3)];
    }

    @Override
    public void storeRelease(long offset, long value) {
        int word = (int) (offset >>> 3);
        if (memory.isInstant()) {
            memory.storeFromHost(0, word, value);
        } else if (combining) {
            int buffer = buffer(word >>> 3);
            filled[buffer] |= 1 << (word & 7);
            data[buffer * 8 + (word & 7)] = value;
        } else {
            write();
            memory.storeFromHost(arrivalNanos(), word, value);
        }
    }

    @Override
    public void storeLine(long offset, long[] from, int at) {
        if (combining && !memory.isInstant()) {
            int buffer = buffer(offset >>> 6);
            filled[buffer] = WHOLE;
            System.arraycopy(from, at, data, buffer * 8, 8);
        } else {
            super.storeLine(offset, from, at);
        }
    }

    private int buffer(long wanted) {
        for (int i = used - 1; i >= 0; i--) {
            if (line[i] == wanted) {
                return i;
            }
        }
        if (used == BUFFERS) {
            leave(0);
            used--;
            System.arraycopy(line, 1, line, 0, used);
            System.arraycopy(filled, 1, filled, 0, used);
            System.arraycopy(data, 8, data, 0, used * 8);
        }
        line[used] = wanted;
        filled[used] = 0;
        return used++;
    }

    private void leave(int buffer) {
        write();
        memory.storeFromHost(arrivalNanos(), (int) line[buffer], filled[buffer], data, buffer * 8);
    }

    /** The core has a write on its way, which it could not have without credit. */
    private void write() {
        time.charge(costs.link().mmioWrite() + bus.toNic.stallNanos(time.nanoTime(), LINE_BYTES));
        bus.hostWrites++;
    }

    /** A word takes as long as a line: most of a small packet is its headers. */
    private long arrivalNanos() {
        long now = time.nanoTime();
        long arrives = now + costs.link().postedWrite()
                + bus.toNic.send(now, LINE_BYTES);
        memory.leaves(now, arrives);
        return arrives;
    }

    @Override
    public void writeFence() {
        for (int i = 0; i < used; i++) {
            leave(i);
        }
        used = 0;
    }
}
