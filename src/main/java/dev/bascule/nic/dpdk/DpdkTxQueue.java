package dev.bascule.nic.dpdk;

import dev.bascule.ffi.DpdkLibrary;
import dev.bascule.ffi.RawMemory;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.TxQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * A DPDK transmit queue: packets wait until {@link #commit}, which passes them on in one call. Packets of any DPDK port
 * go without a copy; those of other memory are copied.
 */
final class DpdkTxQueue implements TxQueue {
    private static final int WAITING = 512;

    private final int index;
    private final DpdkMemory memory;
    private final boolean critical;
    private final int bufferBytes;
    private final MemorySegment pointers = Arena.ofAuto().allocate(ValueLayout.ADDRESS, WAITING);
    private final long pointersAddress = pointers.address();
    private final QueueCounters counters = new QueueCounters();
    /** 0 while the port is stopped. */
    private long function;
    private long queue;
    private int waiting;
    private int uncommitted;
    private long passedOn;
    private @Nullable SentListener listener;

    DpdkTxQueue(int index, DpdkMemory memory, boolean critical, int bufferBytes) {
        this.index = index;
        this.memory = memory;
        this.critical = critical;
        this.bufferBytes = bufferBytes;
    }

    void connect(long burstFunction, long queueData) {
        function = burstFunction;
        queue = queueData;
    }

    void disconnect() {
        function = 0;
    }

    /** Gives up what waits. */
    void drop() {
        memory.free(pointers, waiting);
        waiting = 0;
        uncommitted = 0;
    }

    QueueCounters counters() {
        return counters;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public int bufferBytes() {
        return bufferBytes;
    }

    @Override
    public int allocate(PacketBatch batch, int count) {
        batch.openFor(memory);
        int wanted = Math.min(count, batch.room());
        for (int i = 0; i < wanted; i++) {
            long packet = memory.allocate();
            if (packet == 0) {
                return i;
            }
            batch.add(packet, memory.data(packet), bufferBytes, PacketBatch.RESIZED);
        }
        return wanted;
    }

    @Override
    public int write(PacketBatch batch) {
        if (function == 0) {
            throw notStarted();
        }
        if (batch.isEmpty()) {
            return 0;
        }
        boolean copied = !(batch.memory() instanceof DpdkMemory);
        if (!copied && batch.size() <= WAITING - waiting) {
            long bytes = batch.storeTokens(pointersAddress + 8L * waiting, PacketBatch.MORE | PacketBatch.RESIZED);
            if (bytes > 0) {
                return writtenUnchanged(batch, bytes);
            }
        }
        int written = 0;
        int i = 0;
        long bytes = 0;
        while (i < batch.size() && waiting < WAITING) {
            int length = batch.length(i);
            if (length == 0 || copied && !copyable(batch, i)) {
                batch.memory().release(batch, i, i + 1);
                i++;
                continue;
            }
            long packet = copied ? copy(batch, i) : batch.token(i);
            if (packet == 0) {
                break;
            }
            int next = endOfPacket(batch, i);
            if (next == i + 1 && (copied || batch.has(i, PacketBatch.RESIZED))) {
                memory.setLength(packet, length);
            }
            RawMemory.store(pointersAddress + 8L * waiting++, packet);
            bytes += length;
            written++;
            i = next;
        }
        count(batch, i, written, bytes);
        batch.removeFirst(i);
        return written;
    }

    /** Whole packets as they came: nothing but their addresses was touched. */
    private int writtenUnchanged(PacketBatch batch, long bytes) {
        int count = batch.size();
        waiting += count;
        uncommitted += count;
        counters.add(QueueCounters.PACKETS, count);
        counters.add(QueueCounters.BYTES, bytes);
        batch.removeFirst(count);
        return count;
    }

    private boolean copyable(PacketBatch batch, int i) {
        if (batch.hasMore(i) || batch.length(i) > bufferBytes) {
            counters.add(QueueCounters.ERRORS, 1);
            return false;
        }
        return true;
    }

    private void count(PacketBatch batch, int taken, int written, long bytes) {
        uncommitted += written;
        counters.add(QueueCounters.PACKETS, written);
        counters.add(QueueCounters.BYTES, bytes);
        if (taken < batch.size()) {
            counters.add(QueueCounters.NO_ROOM, batch.size() - taken);
        }
    }

    private static int endOfPacket(PacketBatch batch, int first) {
        int i = first;
        while (batch.hasMore(i) && i + 1 < batch.size()) {
            i++;
        }
        return i + 1;
    }

    private long copy(PacketBatch batch, int i) {
        int length = batch.length(i);
        long packet = memory.allocate();
        if (packet != 0) {
            MemorySegment.copy(batch.memory().segment(), batch.offset(i), memory.segment(), memory.data(packet),
                    length);
            batch.memory().release(batch, i, i + 1);
        }
        return packet;
    }

    @Override
    public int commit() {
        int count = uncommitted;
        uncommitted = 0;
        flush();
        return count;
    }

    private void flush() {
        int count = waiting;
        if (count == 0) {
            return;
        }
        if (function == 0) {
            throw notStarted();
        }
        int sent = DpdkLibrary.burst(critical, function, queue, pointersAddress, count);
        Reference.reachabilityFence(pointers);
        counters.add(QueueCounters.DOORBELLS, 1);
        waiting = count - sent;
        if (sent < count && sent > 0) {
            MemorySegment.copy(pointers, 8L * sent, pointers, 0, 8L * waiting);
        }
        SentListener to = listener;
        if (to != null) {
            for (int i = 0; i < sent; i++) {
                to.sent(passedOn + i, PacketBatch.NO_TIMESTAMP);
            }
        }
        passedOn += sent;
    }

    /** Tries again to pass on what the port had no room for. */
    @Override
    public int reclaim() {
        int before = waiting;
        if (uncommitted == 0) {
            flush();
        }
        return before - waiting;
    }

    /** Packets that the port has not taken; what it has taken, DPDK frees by itself. */
    @Override
    public int inFlight() {
        return waiting;
    }

    @Override
    public void onSent(@Nullable SentListener newListener) {
        listener = newListener;
    }

    private IllegalStateException notStarted() {
        return new IllegalStateException("DPDK transmit queue " + index + ": its port is not started");
    }
}
