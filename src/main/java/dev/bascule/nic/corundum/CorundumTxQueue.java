package dev.bascule.nic.corundum;

import static dev.bascule.nic.QueueCounters.*;
import static dev.bascule.nic.corundum.MqnicFormats.*;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DeviceException;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketMemory;
import dev.bascule.nic.PacketPool;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.TxQueue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Transmit queue: a ring of descriptor blocks, a ring of completions that normally come in its order. */
final class CorundumTxQueue implements TxQueue {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final int NONE = dev.bascule.memory.BufferPool.NONE;
    /** The hardware stops for good at a packet without a byte, and this is no Ethernet frame either. */
    private static final int SHORTEST_FRAME = 14;
    private static final int RECLAIM_AT = 32;

    final QueueCounters counters = new QueueCounters();
    private final int index;
    private final String name;
    private final WorkRing ring;
    private final RecordRing completions;
    private final PacketPool pool;
    private final TxOwners owners;
    private final int fragments;
    private final boolean checksums;
    private final @Nullable TimestampUnit timestamps;
    private final int[] slots;
    private int longestFrame;
    private int head;
    private int tail;
    private int committed;
    private long written;
    private @Nullable SentListener listener;
    private @Nullable DeviceException failure;

    /** @param pool the queue's own buffers */
    CorundumTxQueue(int index, String name, WorkRing ring, RecordRing completions, PacketPool pool, AddressSpace space,
            boolean checksums, @Nullable TimestampUnit timestamps) {
        this.index = index;
        this.name = name;
        this.ring = ring;
        this.completions = completions;
        this.pool = pool;
        this.owners = new TxOwners(space, pool);
        this.fragments = 1 << ring.logBlock;
        this.checksums = checksums;
        this.timestamps = timestamps;
        this.slots = new int[ring.entries() * fragments];
        Arrays.fill(slots, NONE);
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public int bufferBytes() {
        return pool.buffers().bufferBytes();
    }

    void setLongestFrame(int lengthBytes) {
        longestFrame = lengthBytes;
    }

    void start() {
        failure = null;
        head = 0;
        tail = 0;
        committed = 0;
        completions.start();
        ring.configure();
        ring.enable();
    }

    /** Takes all buffers back; the device is out of them or gone. */
    void stop() {
        try {
            ring.disable();
            ring.awaitIdle();
            completions.disable();
        } finally {
            for (int slot = 0; slot < ring.entries(); slot++) {
                free(slot);
            }
            head = tail;
            committed = tail;
        }
    }

    void close() {
        owners.close();
    }

    @Override
    public int allocate(PacketBatch batch, int count) {
        if (pool.buffers().available() < count) {
            reclaim();
        }
        return pool.take(batch, count);
    }

    @Override
    public int write(PacketBatch batch) {
        if (failure != null) {
            throw failure;
        }
        if (batch.isEmpty()) {
            return 0;
        }
        if (tail - head >= RECLAIM_AT) {
            reclaim();
        }
        PacketMemory from = batch.memory();
        if (!owners.select(from)) {
            return writeCopies(batch);
        }
        int size = batch.size();
        int room = ring.entries() - (tail - head);
        int before = tail;
        long bytes = 0;
        int errors = 0;
        int i = 0;
        while (i < size) {
            int entries = fragments == 1 && !batch.hasMore(i) ? 1 : entries(batch, i, size);
            int lengthBytes = entries == 1 ? batch.length(i) : length(batch, i, entries);
            if (lengthBytes < SHORTEST_FRAME || lengthBytes > longestFrame || entries > fragments) {
                errors += lengthBytes == 0 ? 0 : 1;
                from.release(batch, i, i + entries);
            } else if (room-- > 0) {
                describe(batch, i, entries);
                tail++;
                bytes += lengthBytes;
            } else {
                counters.add(NO_ROOM, 1);
                break;
            }
            i += entries;
        }
        batch.removeFirst(i);
        return account(tail - before, bytes, errors);
    }

    private int account(int packets, long bytes, int errors) {
        written += packets;
        counters.add(PACKETS, packets);
        counters.add(BYTES, bytes);
        if (errors != 0) {
            counters.add(ERRORS, errors);
        }
        return packets;
    }

    /** Entries that form one packet. */
    private static int entries(PacketBatch batch, int first, int size) {
        int last = first;
        while (batch.hasMore(last) && last + 1 < size) {
            last++;
        }
        return last - first + 1;
    }

    private static int length(PacketBatch batch, int first, int entries) {
        int sum = 0;
        for (int i = first; i < first + entries; i++) {
            sum += batch.length(i);
        }
        return sum;
    }

    private void describe(PacketBatch batch, int first, int entries) {
        MemorySegment memory = ring.memory;
        long descriptor = ring.descriptor(tail);
        int slot = (tail & ring.mask) * fragments;
        for (int i = 0; i < fragments; i++) {
            long at = descriptor + (long) i * DESCRIPTOR_BYTES;
            if (i >= entries) {
                LONG.set(memory, at, 0L);
                continue;
            }
            int entry = first + i;
            int lengthBytes = batch.length(entry);
            long address = owners.iova(batch.offset(entry), lengthBytes);
            LONG.set(memory, at, (long) lengthBytes << 8 * DESCRIPTOR_LENGTH | (i == 0 ? request(batch, entry) : 0));
            LONG.set(memory, at + DESCRIPTOR_ADDRESS, address);
            slots[slot + i] = owners.slot((int) batch.token(entry));
        }
    }

    private long request(PacketBatch batch, int entry) {
        return (batch.flags(entry) & PacketBatch.INSERT_CHECKSUM) == 0 || !checksums
                ? 0
                : (long) (TX_CHECKSUM_ENABLE | batch.checksumRequest(entry)) << 8 * DESCRIPTOR_TX_CHECKSUM;
    }

    /** Packets in memory the device cannot reach: into buffers of the queue's own. */
    private int writeCopies(PacketBatch batch) {
        PacketBatch copies = owners.copy(batch);
        int copied = copies.size();
        int packets = copied == 0 ? 0 : write(copies);
        batch.release(copied - copies.size());
        copies.release();
        return packets;
    }

    @Override
    public int commit() {
        int count = tail - committed;
        if (count != 0) {
            committed = tail;
            ring.publish(tail);
            counters.add(DOORBELLS, 1);
        }
        return count;
    }

    @Override
    public int reclaim() {
        if (failure != null) {
            throw failure;
        }
        MemorySegment memory = ring.memory;
        int count = 0;
        for (long at = completions.peek(); at >= 0; at = completions.peek()) {
            long word = (long) LONG.get(memory, at);
            int slot = head & ring.mask;
            if ((int) word == (ring.number | head << 16) && head != committed && slots[slot * fragments] != NONE) {
                head++;
            } else if ((slot = unusual(word)) < 0) {
                break;
            }
            if (listener != null) {
                report(listener, (int) (word >>> 16), (long) LONG.get(memory, at + 8));
            }
            completions.advance();
            free(slot);
            count++;
        }
        if (completions.acknowledgeSome() != 0) {
            counters.add(DOORBELLS, 1);
        }
        if (failure != null) {
            throw failure;
        }
        return count;
    }

    private void report(SentListener to, int at, long time) {
        int distance = tail - at & 0xFFFF; // how many were written from this one on
        to.sent(written - distance, timestamps == null ? PacketBatch.NO_TIMESTAMP : timestamps.extend(time));
    }

    private void free(int slot) {
        for (int i = slot * fragments; i < (slot + 1) * fragments && slots[i] != NONE; i++) {
            owners.give(slots[i]);
            slots[i] = NONE;
        }
    }

    /** A completion out of order: legal if the device has the slot. Says which, or -1 after it stopped the queue. */
    private int unusual(long word) {
        int queue = (int) word & 0xFFFF;
        int at = (int) (word >>> 8 * COMPLETION_INDEX) & 0xFFFF;
        while (tail != head && slots[(head & ring.mask) * fragments] == NONE) {
            head++; // completed out of order, earlier
        }
        int slot = at & ring.mask;
        if (queue != ring.number) {
            failure = DeviceFault.foreign(name, queue);
        } else if ((at - head & 0xFFFF) >= committed - head || slots[slot * fragments] == NONE) {
            failure = DeviceFault.notPosted(name, at, head, committed);
        }
        if (failure != null) {
            ring.disable();
            return -1;
        }
        return slot;
    }

    @Override
    public int inFlight() {
        return tail - head;
    }

    @Override
    public void onSent(@Nullable SentListener to) {
        listener = to;
    }
}
