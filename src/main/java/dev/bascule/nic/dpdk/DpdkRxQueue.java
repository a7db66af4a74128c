package dev.bascule.nic.dpdk;

import dev.bascule.ffi.DpdkLibrary;
import dev.bascule.ffi.RawMemory;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.RxQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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
    private MemorySegment function = MemorySegment.NULL;
    private MemorySegment queue = MemorySegment.NULL;
    private boolean connected;
    private int next;
    private int waiting;

    DpdkRxQueue(int index, DpdkMemory memory, boolean critical) {
        this.index = index;
        this.memory = memory;
        this.critical = critical;
    }

    void connect(MemorySegment burstFunction, MemorySegment queueData) {
        function = burstFunction;
        queue = queueData;
        connected = true;
    }

    void disconnect() {
        connected = false;
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
        requireStarted();
        batch.openFor(memory);
        if (next == waiting) {
            next = 0;
            waiting = DpdkLibrary.burst(critical, function, queue, pointers, Math.min(batch.room(), BURST));
        }
        int packets = 0;
        int before = batch.size();
        long bytes = 0;
        for (; next < waiting; next++) {
            long packet = RawMemory.load(pointersAddress + 8L * next);
            long start = RawMemory.load(packet + DpdkLayout.MBUF_DATA_OFFSET);
            int fragments = (int) (start >>> 32) & 0xFFFF;
            if (fragments > batch.room()) {
                break; // the next poll, with an empty batch
            }
            bytes += fragments == 1 ? addWhole(batch, packet, start & 0xFFFF) : add(batch, packet, fragments);
            packets++;
        }
        if (packets == 0 && waiting > 0 && next < waiting && batch.isEmpty()) {
            counters.add(QueueCounters.ERRORS, 1); // more fragments than any batch of the caller holds
            memory.free(pointers.asSlice(8L * next++, 8), 1);
        }
        if (packets > 0) {
            counters.add(QueueCounters.PACKETS, packets);
            counters.add(QueueCounters.BYTES, bytes);
        }
        return batch.size() - before;
    }

    /** A packet of one fragment, with as few loads as tell all about it. */
    private static int addWhole(PacketBatch batch, long packet, long dataOffset) {
        long data = RawMemory.load(packet + DpdkLayout.MBUF_DATA_BYTES); // length in the low, hash in the high half
        int length = (int) data & 0xFFFF;
        boolean hashed = (RawMemory.load(packet + DpdkLayout.MBUF_FLAGS) & DpdkLayout.MBUF_HAS_HASH) != 0;
        batch.add(packet, RawMemory.load(packet + DpdkLayout.MBUF_ADDRESS) + dataOffset, length,
                hashed ? PacketBatch.HAS_HASH : 0);
        if (hashed) {
            batch.describe(batch.size() - 1, (int) (data >>> 32), 0, PacketBatch.NO_TIMESTAMP);
        }
        return length;
    }

    private long add(PacketBatch batch, long packet, int fragments) {
        MemorySegment all = memory.segment();
        int first = batch.size();
        boolean hashed = (all.get(ValueLayout.JAVA_LONG, packet + DpdkLayout.MBUF_FLAGS)
                & DpdkLayout.MBUF_HAS_HASH) != 0;
        long bytes = 0;
        long part = packet;
        for (int i = 1; i <= fragments; i++) {
            int length = all.get(ValueLayout.JAVA_SHORT, part + DpdkLayout.MBUF_DATA_BYTES) & 0xFFFF;
            int flags = (i < fragments ? PacketBatch.MORE : 0) | (hashed && i == 1 ? PacketBatch.HAS_HASH : 0);
            batch.add(i == 1 ? packet : 0, memory.data(part), length, flags);
            bytes += length;
            part = i < fragments ? all.get(ValueLayout.JAVA_LONG, part + DpdkLayout.MBUF_NEXT) : part;
        }
        if (hashed) {
            batch.describe(first, all.get(ValueLayout.JAVA_INT, packet + DpdkLayout.MBUF_HASH), 0,
                    PacketBatch.NO_TIMESTAMP);
        }
        return bytes;
    }

    @Override
    public boolean await(long timeoutNanos) {
        requireStarted();
        long start = System.nanoTime();
        while (next == waiting) {
            next = 0;
            waiting = DpdkLibrary.burst(critical, function, queue, pointers, BURST);
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

    private void requireStarted() {
        if (!connected) {
            throw new IllegalStateException("DPDK receive queue " + index + ": its port is not started");
        }
    }
}
