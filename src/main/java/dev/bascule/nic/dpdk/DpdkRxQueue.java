package dev.bascule.nic.dpdk;

import dev.bascule.ffi.DpdkLibrary;
import dev.bascule.ffi.RawMemory;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketWriter;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.RxQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.concurrent.locks.LockSupport;

/** A DPDK receive queue: one call per burst, packets where DPDK's driver put them. */
final class DpdkRxQueue implements RxQueue {
    private static final int BURST = 64;
    private static final long NAP_NANOS = 50_000;

    private final int index;
    private final DpdkMemory memory;
    private final boolean critical;
    private final MemorySegment pointers = Arena.ofAuto().allocate(ValueLayout.ADDRESS, BURST);
    private final long pointersAddress = pointers.address();
    private final QueueCounters counters = new QueueCounters();
    /** 0 while the port is stopped. */
    private long function;
    private long queue;
    private int next;
    private int waiting;

    DpdkRxQueue(int index, DpdkMemory memory, boolean critical) {
        this.index = index;
        this.memory = memory;
        this.critical = critical;
    }

    void connect(long burstFunction, long queueData) {
        function = burstFunction;
        queue = queueData;
    }

    void disconnect() {
        function = 0;
        for (; next < waiting; next++) {
            memory.free(pointers.asSlice(8L * next, 8), 1);
        }
    }

    QueueCounters counters() {
        return counters;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public int poll(PacketBatch batch) {
        if (function == 0) {
            throw notStarted();
        }
        PacketWriter.open(batch, memory);
        if (next == waiting) {
            int got = burst(Math.min(batch.room(), BURST));
            if (got == 0 || got == 1 && addOne(batch)) {
                return got;
            }
            next = 0;
            waiting = got;
        }
        return pollWaiting(batch);
    }

    /** A burst of one packet of one fragment, without a loop. */
    private boolean addOne(PacketBatch batch) {
        long packet = RawMemory.load(pointersAddress);
        int length = RawMemory.loadShort(packet + DpdkLayout.MBUF_DATA_BYTES);
        if (RawMemory.loadShort(packet + DpdkLayout.MBUF_SEGMENTS) != 1 || length == 0) {
            return false;
        }
        int at = batch.size();
        PacketWriter.add(batch, packet, memory.data(packet), length, 0);
        if ((RawMemory.load(packet + DpdkLayout.MBUF_FLAGS) & DpdkLayout.MBUF_HAS_HASH) != 0) {
            put(batch, at, packet, length);
        }
        counters.addBurst(1, length);
        return true;
    }

    private int pollWaiting(PacketBatch batch) {
        int first = next;
        long bytes = addWhole(batch);
        if (next < waiting) {
            bytes += addRest(batch);
        }
        int count = next - first;
        if (count > 0) {
            counters.addBurst(count, bytes);
        } else if (next < waiting && batch.isEmpty()) {
            counters.add(QueueCounters.ERRORS, 1); // more fragments than any batch of the caller holds
            memory.free(pointers.asSlice(8L * next++, 8), 1);
        }
        return count;
    }

    /** From the first packet on that {@link #addWhole} leaves. */
    private long addRest(PacketBatch batch) {
        long bytes = 0;
        int before = batch.size();
        while (next < waiting && addFragmented(batch)) {
            for (; before < batch.size(); before++) {
                bytes += batch.length(before);
            }
            bytes += addWhole(batch);
            before = batch.size();
        }
        return bytes; // what does not fit is for the next poll, with an empty batch
    }

    private int burst(int most) {
        int got = DpdkLibrary.burst(critical, function, queue, pointersAddress, most);
        Reference.reachabilityFence(pointers);
        return got;
    }

    /**
     * Packets of one fragment, up to the first that has more or is empty; says their bytes. OVERHEAD: fields are loaded as wide as drivers store them; loads
     * over several fields just stored took 10 ns per packet of the null port.
     */
    private long addWhole(PacketBatch batch) {
        int size = batch.size();
        int most = Math.min(waiting - next, batch.room());
        long from = pointersAddress + 8L * next;
        long bytes = 0;
        int count = 0;
        for (; count < most; count++) {
            long packet = RawMemory.load(from + 8L * count);
            int length = RawMemory.loadShort(packet + DpdkLayout.MBUF_DATA_BYTES);
            if (RawMemory.loadShort(packet + DpdkLayout.MBUF_SEGMENTS) != 1 || length == 0) {
                break;
            }
            put(batch, size + count, packet, length);
            bytes += length;
        }
        PacketWriter.setSize(batch, size + count);
        next += count;
        return bytes;
    }

    private void put(PacketBatch batch, int i, long packet, int length) {
        boolean hashed = (RawMemory.load(packet + DpdkLayout.MBUF_FLAGS) & DpdkLayout.MBUF_HAS_HASH) != 0;
        PacketWriter.put(batch, i, packet, memory.data(packet), length, hashed ? PacketBatch.HAS_HASH : 0,
                hashed ? hash(packet) : 0,
                0,
                PacketBatch.NO_TIMESTAMP);
    }

    /** The next packet, if all its fragments fit. */
    private boolean addFragmented(PacketBatch batch) {
        long packet = RawMemory.load(pointersAddress + 8L * next);
        int fragments = RawMemory.loadShort(packet + DpdkLayout.MBUF_SEGMENTS);
        if (fragments > batch.room()) {
            return false;
        }
        int first = batch.size();
        boolean hashed = (RawMemory.load(packet + DpdkLayout.MBUF_FLAGS) & DpdkLayout.MBUF_HAS_HASH) != 0;
        long part = packet;
        for (int i = 1; i <= fragments; i++) {
            int length = RawMemory.loadShort(part + DpdkLayout.MBUF_DATA_BYTES);
            int flags = (i < fragments ? PacketBatch.MORE : 0) | (hashed && i == 1 ? PacketBatch.HAS_HASH : 0)
                    | (length == 0 ? PacketWriter.RESIZED : 0); // not to be sent as it is
            PacketWriter.add(batch, i == 1 ? packet : 0, memory.data(part), length, flags);
            part = i < fragments ? RawMemory.load(part + DpdkLayout.MBUF_NEXT) : part;
        }
        if (hashed) {
            PacketWriter.describe(batch, first, hash(packet), 0, PacketBatch.NO_TIMESTAMP);
        }
        next++;
        return true;
    }

    private static int hash(long packet) {
        return (int) (RawMemory.load(packet + DpdkLayout.MBUF_DATA_BYTES) >>> 32);
    }

    @Override
    public boolean await(long timeoutNanos) {
        if (function == 0) {
            throw notStarted();
        }
        long start = System.nanoTime();
        while (next == waiting) {
            next = 0;
            waiting = burst(BURST);
            long left = timeoutNanos - (System.nanoTime() - start);
            if (waiting == 0 && (left <= 0 || Thread.currentThread().isInterrupted())) {
                return false;
            }
            if (waiting == 0) {
                LockSupport.parkNanos(Math.min(left, NAP_NANOS));
            }
        }
        return true;
    }

    private IllegalStateException notStarted() {
        return new IllegalStateException("DPDK receive queue " + index + ": its port is not started");
    }
}
