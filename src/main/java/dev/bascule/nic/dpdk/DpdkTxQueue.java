package dev.bascule.nic.dpdk;

import dev.bascule.ffi.DpdkLibrary;
import dev.bascule.ffi.RawMemory;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketWriter;
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
    private final long offloads;
    private final MemorySegment pointers = Arena.ofAuto().allocate(ValueLayout.ADDRESS, WAITING);
    private final long pointersAddress = pointers.address();
    private final QueueCounters counters = new QueueCounters();
    /** 0 while the port is stopped. */
    private long function;
    private long queue;
    private int waiting;
    /** Of these, those that were committed and found no room in the port. */
    private int held;
    private @Nullable SentListener listener;

    /** @param offloads what the card inserts, {@code DpdkLayout.OFFLOAD_...} */
    DpdkTxQueue(int index, DpdkMemory memory, boolean critical, int bufferBytes, long offloads) {
        this.index = index;
        this.memory = memory;
        this.critical = critical;
        this.bufferBytes = bufferBytes;
        this.offloads = offloads;
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
        held = 0;
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
        PacketWriter.open(batch, memory);
        int wanted = Math.min(count, batch.room());
        for (int i = 0; i < wanted; i++) {
            long packet = memory.allocate();
            if (packet == 0) {
                return i;
            }
            PacketWriter.add(batch, packet, memory.data(packet), bufferBytes, PacketWriter.RESIZED);
        }
        return wanted;
    }

    @Override
    public int write(PacketBatch batch) {
        if (function == 0) {
            throw notStarted();
        }
        int count = batch.size();
        if (count == 0) {
            return 0;
        }
        boolean copied = !(batch.memory() instanceof DpdkMemory);
        int before = waiting;
        if (!copied && count <= WAITING - before) {
            long bytes = PacketWriter.storeTokens(batch, pointersAddress + 8L * before,
                    PacketBatch.MORE | PacketWriter.RESIZED | PacketBatch.INSERT_CHECKSUM);
            if (bytes > 0) { // whole packets as they came: nothing but their addresses was touched
                waiting = before + count;
                PacketWriter.setSize(batch, 0);
                counters.addBurst(count, bytes);
                return count;
            }
        }
        return writeEach(batch, copied);
    }

    private int writeEach(PacketBatch batch, boolean copied) {
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
            long packet = copied ? memory.allocate() : PacketWriter.token(batch, i);
            if (packet == 0) {
                break;
            }
            if ((batch.flags(i) & PacketBatch.INSERT_CHECKSUM) != 0
                    && !DpdkChecksum.ask(packet, PacketWriter.checksumRequest(batch, i), offloads)) {
                PacketWriter.insertChecksum(batch, i);
            }
            if (copied) {
                copy(batch, i, packet);
            }
            int next = endOfPacket(batch, i);
            if (next == i + 1 && (copied || PacketWriter.has(batch, i, PacketWriter.RESIZED))) {
                memory.setLength(packet, length);
            }
            RawMemory.store(pointersAddress + 8L * waiting++, packet);
            bytes += length;
            written++;
            i = next;
        }
        count(batch, i, written, bytes);
        PacketWriter.removeFirst(batch, i);
        return written;
    }

    private boolean copyable(PacketBatch batch, int i) {
        if (batch.hasMore(i) || batch.length(i) > bufferBytes) {
            counters.add(QueueCounters.ERRORS, 1);
            return false;
        }
        return true;
    }

    private void count(PacketBatch batch, int taken, int written, long bytes) {
        counters.addBurst(written, bytes);
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

    private void copy(PacketBatch batch, int i, long packet) {
        MemorySegment.copy(batch.memory().segment(), batch.offset(i), memory.segment(), memory.data(packet),
                batch.length(i));
        batch.memory().release(batch, i, i + 1);
    }

    @Override
    public int commit() {
        int count = waiting;
        int before = held;
        if (count != 0) {
            flush(count);
        }
        return count - before;
    }

    private void flush(int count) {
        if (function == 0) {
            throw notStarted();
        }
        int sent = DpdkLibrary.burst(critical, function, queue, pointersAddress, count);
        Reference.reachabilityFence(pointers);
        counters.add(QueueCounters.DOORBELLS, 1);
        int rest = count - sent;
        waiting = rest;
        held = rest;
        if (rest != 0 || listener != null) {
            afterFlush(sent);
        }
    }

    private void afterFlush(int sent) {
        if (waiting > 0 && sent > 0) {
            MemorySegment.copy(pointers, 8L * sent, pointers, 0, 8L * waiting);
        }
        SentListener to = listener;
        if (to != null) {
            long first = counters.get(QueueCounters.PACKETS) - waiting - sent;
            for (int i = 0; i < sent; i++) {
                to.sent(first + i, PacketBatch.NO_TIMESTAMP);
            }
        }
    }

    /** Tries again to pass on what the port had no room for. */
    @Override
    public int reclaim() {
        int before = waiting;
        if (before != 0 && before == held) {
            flush(before);
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
