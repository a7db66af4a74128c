package dev.bascule.study.sim;

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
    private final Atomics atomics;

    /** Listener to the NIC's AtomicOps. */
    interface Atomics {
        /** Nobody. */
        Atomics UNHEARD = new Atomics() {
            @Override
            public void arrives(long nanos) {
                // nobody else acts
            }

            @Override
            public void swapped(long nanos) {
                // nobody waits
            }
        };

        /** One reaches host memory at that time: what others do before happens first. */
        void arrives(long nanos);

        /** It has changed its word, then. */
        void swapped(long nanos);
    }

    SimDmaWindow(HostMemory memory, SimTime time, SimCosts costs, BusCounters bus) {
        this(memory, time, costs, bus, Atomics.UNHEARD);
    }

    SimDmaWindow(HostMemory memory, SimTime time, SimCosts costs, BusCounters bus, Atomics atomics) {
        super(memory.words.length * 8L, MemoryType.UC);
        this.memory = memory;
        this.time = time;
        this.costs = costs;
        this.bus = bus;
        this.atomics = atomics;
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
    public boolean hasAtomics() {
        return true;
    }

    /**
     * An AtomicOp: a request that does not overtake the posted writes before it, and the NIC's core waits for its
     * completion. On the bus it counts as a read.
     */
    @Override
    public long compareAndSwap(long offset, long expected, long next) {
        int word = (int) (offset >>> 3);
        if (memory.isInstant()) {
            return memory.compareAndSwapFromNic(time, word, expected, next);
        }
        long there = costs.link().atomicOp() >> 1;
        bus.nicReads++;
        time.charge(bus.toHost.stallNanos(time.nanoTime(), LINE_BYTES));
        time.charge(there + bus.toHost.send(time.nanoTime(), LINE_BYTES));
        time.set(Math.max(time.nanoTime(), memory.fromNic.lastNanos()));
        atomics.arrives(time.nanoTime());
        long found = memory.compareAndSwapFromNic(time, word, expected, next);
        if (found == expected) {
            atomics.swapped(time.nanoTime());
        }
        time.charge(costs.link().atomicOp() - there + bus.toNic.send(time.nanoTime(), LINE_BYTES));
        return found;
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
