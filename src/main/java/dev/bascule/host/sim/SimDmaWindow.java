package dev.bascule.host.sim;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;

/**
 * Host memory as the NIC sees it, by DMA: a read is a round trip per line, of which several may be under way
 * ({@link #prefetchLine}), and costs bandwidth; writes are posted.
 */
final class SimDmaWindow extends Window {
    private static final long NONE = -1;

    private final HostMemory memory;
    private final SimTime time;
    private final SimCosts costs;
    private final BusCounters bus;
    private final long lineNanos;
    private long line = NONE;
    private long streamNanos;
    private long requestedFrom = NONE;
    private long requestedUpTo = NONE;

    SimDmaWindow(HostMemory memory, SimTime time, SimCosts costs, BusCounters bus) {
        super(memory.words.length * 8L, MemoryType.UC);
        this.memory = memory;
        this.time = time;
        this.costs = costs;
        this.bus = bus;
        lineNanos = Math.round(LINE_BYTES / costs.link().dmaBytesPerNano());
    }

    @Override
    public long loadAcquire(long offset) {
        if (!memory.isInstant() && offset >>> 6 != line) {
            line = offset >>> 6;
            fetch();
        }
        memory.fromNic.apply(time.nanoTime(), memory.words);
        return memory.words[(int) (offset >>> 3)];
    }

    /** A line that was asked for early waits only for its turn on the link. */
    private void fetch() {
        bus.nicReads++;
        if (line >= requestedFrom && line <= requestedUpTo) {
            streamNanos = Math.max(streamNanos + lineNanos, time.nanoTime());
            time.set(streamNanos);
        } else {
            time.charge(costs.link().dmaRead());
        }
        time.charge(bus.toNic.send(time.nanoTime(), LINE_BYTES)); // behind what else comes that way
        streamNanos = time.nanoTime();
    }

    @Override
    public void storeRelease(long offset, long value) {
        int word = (int) (offset >>> 3);
        if (memory.isInstant()) {
            memory.words[word] = value;
        } else {
            bus.nicWrites++;
            memory.fromNic.post(arrivalNanos(), word, value);
        }
    }

    @Override
    public void loadLine(long offset, long[] into, int at) {
        into[at] = loadAcquire(offset);
        System.arraycopy(memory.words, (int) (offset >>> 3), into, at, 8);
    }

    @Override
    public void storeLine(long offset, long[] from, int at) {
        if (memory.isInstant()) {
            System.arraycopy(from, at, memory.words, (int) (offset >>> 3), 8);
        } else {
            bus.nicWrites += 8;
            memory.fromNic.post(arrivalNanos(), (int) (offset >>> 6), 0xff, from, at);
        }
    }

    private long arrivalNanos() {
        time.charge(bus.toHost.stallNanos(time.nanoTime(), LINE_BYTES));
        long now = time.nanoTime();
        return now + costs.link().dmaWrite() + bus.toHost.send(now, LINE_BYTES);
    }

    @Override
    public void writeFence() {
        // posted writes of one device stay in order
    }

    @Override
    public void invalidateLine(long offset) {
        line = NONE;
    }

    @Override
    public void prefetchLine(long offset) {
        long wanted = offset >>> 6;
        if (requestedUpTo == NONE || wanted != requestedUpTo + 1) {
            requestedFrom = wanted;
            streamNanos = time.nanoTime() + costs.link().dmaRead();
        }
        requestedUpTo = wanted;
    }
}
