package dev.bascule.nic.corundum;

import static dev.bascule.nic.QueueCounters.*;
import static dev.bascule.nic.corundum.MqnicFormats.*;

import dev.bascule.device.AddressSpace;
import dev.bascule.ffi.RawMemory;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketPool;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.TxQueue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Transmit queue: a ring of descriptor blocks, a ring of completions that normally come in its order. */
final class CorundumTxQueue implements TxQueue {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    /** The hardware stops for good at a packet without a byte, and this is no Ethernet frame either. */
    private static final int SHORTEST_FRAME = 14;
    private static final int RECLAIM_AT = 32;

    final QueueCounters counters = new QueueCounters();
    private final int index;
    private final TxRing tx;
    private final DescriptorRing ring;
    private final PacketPool pool;
    private final TxOwners owners;
    private final int fragments;
    private final boolean checksums;
    private int longestFrame;
    private long burstBytes;
    private int burstErrors;

    /** @param pool the queue's own buffers */
    CorundumTxQueue(int index, String name, DescriptorRing ring, CompletionRing completions, PacketPool pool,
            AddressSpace space,
            boolean checksums, @Nullable TimestampUnit timestamps) {
        this.index = index;
        this.ring = ring;
        this.pool = pool;
        this.owners = new TxOwners(space, pool);
        this.tx = new TxRing(name, ring, completions, owners, counters, timestamps);
        this.fragments = tx.fragments;
        this.checksums = checksums;
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
        tx.start();
    }

    void stop() {
        tx.stop();
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
        tx.requireHealthy();
        if (batch.isEmpty()) {
            return 0;
        }
        if (tx.tail - tx.head >= RECLAIM_AT) {
            tx.reclaim();
        }
        if (!owners.select(batch.memory())) {
            return writeCopies(batch);
        }
        int before = tx.tail;
        burstBytes = 0;
        burstErrors = 0;
        int i = 0;
        while (i < batch.size()) {
            int taken = fragments == 1 ? plain(batch, i) : 0;
            if (taken == 0 && (taken = other(batch, i)) == 0) {
                break;
            }
            i += taken;
        }
        batch.removeFirst(i);
        return account(tx.tail - before);
    }

    /**
     * The usual case in a loop of its own, with everything in registers: one entry each, of a good length. Stops at what
     * is different, when the ring is full, and where it begins anew; says how many there were.
     */
    private int plain(PacketBatch batch, int from) {
        int[] held = tx.slots;
        int first = tx.tail & ring.mask;
        int count = Math.min(Math.min(batch.size() - from, tx.room()), ring.straight(first));
        long descriptors = ring.address() + (long) first * DESCRIPTOR_BYTES;
        int spread = longestFrame - SHORTEST_FRAME;
        long iova = owners.iova();
        long end = owners.sizeBytes();
        int owner = owners.number();
        long bytes = 0;
        int i = 0;
        for (; i < count; i++) {
            int lengthBytes = batch.length(from + i);
            long offset = batch.offset(from + i);
            int flags = batch.flags(from + i);
            if (Integer.compareUnsigned(lengthBytes - SHORTEST_FRAME, spread) > 0 || offset + lengthBytes > end) {
                break;
            }
            long word = (long) lengthBytes << 8 * DESCRIPTOR_LENGTH;
            if ((flags & (PacketBatch.MORE | PacketBatch.INSERT_CHECKSUM)) != 0) { // one look for what is rare
                if ((flags & PacketBatch.MORE) != 0) {
                    break;
                }
                word |= request(batch, from + i);
            }
            long at = descriptors + (long) i * DESCRIPTOR_BYTES; // in bounds by straight()
            RawMemory.store(at, word);
            RawMemory.store(at + DESCRIPTOR_ADDRESS, iova + offset);
            held[first + i] = owner | (int) batch.token(from + i);
            bytes += lengthBytes;
        }
        tx.tail += i;
        burstBytes += bytes;
        return i;
    }

    /** Any packet: of several entries, dropped, or one the hardware cannot bear. Entries taken, 0 if the ring is full. */
    private int other(PacketBatch batch, int i) {
        int entries = Chains.entries(batch, i);
        int lengthBytes = Chains.length(batch, i, entries);
        if (lengthBytes < SHORTEST_FRAME || lengthBytes > longestFrame || entries > fragments) {
            burstErrors += lengthBytes == 0 ? 0 : 1;
            batch.memory().release(batch, i, i + entries);
            return entries;
        }
        if (tx.room() == 0) {
            counters.add(NO_ROOM, 1);
            return 0;
        }
        describe(batch, i, entries);
        tx.tail++;
        burstBytes += lengthBytes;
        return entries;
    }

    private int account(int packets) {
        tx.written += packets;
        counters.add(PACKETS, packets);
        counters.add(BYTES, burstBytes);
        if (burstErrors != 0) {
            counters.add(ERRORS, burstErrors);
        }
        return packets;
    }

    private void describe(PacketBatch batch, int first, int entries) {
        MemorySegment memory = ring.memory;
        long descriptor = ring.descriptor(tx.tail);
        int slot = (tx.tail & ring.mask) * fragments;
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
            tx.slots[slot + i] = owners.slot((int) batch.token(entry));
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
        return tx.commit();
    }

    @Override
    public int reclaim() {
        return tx.reclaim();
    }

    @Override
    public int inFlight() {
        return tx.tail - tx.head;
    }

    @Override
    public void onSent(@Nullable SentListener to) {
        tx.listener = to;
    }
}
