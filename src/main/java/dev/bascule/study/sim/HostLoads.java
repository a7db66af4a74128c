package dev.bascule.study.sim;

import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.util.Arrays;

/**
 * NIC memory mapped for the host's loads. Uncached: each load is a round trip. Write-through: a line is read once and
 * stays as it was until it is invalidated; a prefetch starts the round trip early and is sampled by the host's own event
 * at half of it, so that the line holds what the NIC's memory held at that moment.
 */
final class HostLoads extends Window {
    /** Lines that one look may have under way. */
    static final int MOST_AT_ONCE = 8;
    private static final long NONE = -1;

    private final NicMemory memory;
    private final SimTime time;
    private final BusCounters bus;
    private final SocketCosts sockets;
    private final boolean cached;
    private final long readNanos;
    private final long[] copy;
    private final boolean[] held;
    private final long[] startedNanos;
    private final boolean[] sampled;
    private final long[] laneNanos;
    private long elapsedNanos;
    private final int[] begun = new int[MOST_AT_ONCE];
    private int begunCount;

    HostLoads(NicMemory memory, SimTime time, SimCosts costs, boolean cached, BusCounters bus,
            SocketCosts sockets) {
        super(memory.nic.length * 8L, cached ? MemoryType.WT : MemoryType.UC);
        this.memory = memory;
        this.time = time;
        this.bus = bus;
        this.sockets = sockets;
        this.cached = cached;
        readNanos = cached ? costs.link().readWt() : costs.link().readUc();
        int lines = cached ? memory.nic.length >> 3 : 0;
        copy = new long[lines << 3];
        held = new boolean[lines];
        startedNanos = new long[lines];
        sampled = new boolean[lines];
        laneNanos = new long[lines];
        Arrays.fill(startedNanos, NONE);
    }

    long readNanos() {
        return readNanos;
    }

    /** The next read that goes out has already been on its way for this long: the poll's event comes at its half. */
    void elapsed(long nanos) {
        elapsedNanos = nanos;
    }

    /** The lines whose prefetch began since the last call; returns how many. */
    int takePrefetched(int[] into, int from) {
        int count = begunCount;
        System.arraycopy(begun, 0, into, from, count);
        begunCount = 0;
        return count;
    }

    /** Half of a prefetch's round trip is over: the line is what NIC memory holds now. */
    void sample(int line) {
        if (held[line] && startedNanos[line] != NONE && !sampled[line]) {
            sampled[line] = true;
            fill(line);
            laneNanos[line] = bus.toHost.send(time.nanoTime(), LINE_BYTES);
        }
    }

    private void fill(int line) {
        memory.toHost.apply(time.nanoTime(), memory.seen);
        System.arraycopy(memory.seen, line << 3, copy, line << 3, 8);
    }

    @Override
    public long loadAcquire(long offset) {
        int word = (int) (offset >>> 3);
        if (memory.isInstant()) {
            return memory.seen[word];
        }
        if (!cached) {
            roundTripBegins();
            memory.toHost.apply(time.nanoTime(), memory.seen);
            long value = memory.seen[word];
            comesBack();
            return value;
        }
        hold(word >>> 3);
        return copy[word];
    }

    @Override
    public void loadLine(long offset, long[] into, int at) {
        if (cached && !memory.isInstant()) {
            hold((int) (offset >>> 6));
            System.arraycopy(copy, (int) (offset >>> 3), into, at, 8);
        } else {
            super.loadLine(offset, into, at);
        }
    }

    /** The line is in the cache from then on. */
    private void hold(int line) {
        if (!held[line]) {
            roundTripBegins();
            fill(line);
            held[line] = true;
            comesBack();
        } else if (startedNanos[line] != NONE) {
            finish(line);
        }
    }

    private void roundTripBegins() {
        bus.hostReads++;
        long pushed = memory.pushedNanos(time.nanoTime());
        time.charge(Math.max(0, (readNanos >> 1) - elapsedNanos));
        elapsedNanos = 0;
        if (pushed > time.nanoTime()) {
            time.set(pushed);
        }
    }

    /** The second half of a round trip, behind what else comes that way. */
    private void comesBack() {
        time.charge(bus.toHost.send(time.nanoTime(), LINE_BYTES) + readNanos - (readNanos >> 1) + sockets.fillNanos());
    }

    private void finish(int line) {
        if (!sampled[line]) {
            time.set(Math.max(time.nanoTime(), startedNanos[line] + (readNanos >> 1)));
            fill(line);
            laneNanos[line] = bus.toHost.send(time.nanoTime(), LINE_BYTES);
        }
        time.set(Math.max(time.nanoTime(), startedNanos[line] + readNanos + laneNanos[line] + sockets.fillNanos()));
        startedNanos[line] = NONE;
    }

    @Override
    public void storeRelease(long offset, long value) {
        throw new UnsupportedOperationException("the host stores through its other mapping");
    }

    @Override
    public void writeFence() {
        // no stores
    }

    @Override
    public void invalidateLine(long offset) {
        if (cached) {
            int line = (int) (offset >>> 6);
            held[line] = false;
            startedNanos[line] = NONE;
        }
    }

    @Override
    public void prefetchLine(long offset) {
        int line = (int) (offset >>> 6);
        if (cached && !held[line] && !memory.isInstant() && begunCount < MOST_AT_ONCE) {
            bus.hostReads++;
            held[line] = true;
            sampled[line] = false;
            startedNanos[line] = time.nanoTime();
            begun[begunCount++] = line;
        }
    }
}
