package dev.bascule.nic.virtio;

import static dev.bascule.nic.QueueCounters.*;
import static dev.bascule.nic.virtio.VirtioRegisters.*;

import dev.bascule.device.DeviceException;
import dev.bascule.memory.BufferPool;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketWriter;
import dev.bascule.nic.PacketPool;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.Refusal;
import dev.bascule.nic.Refusals;
import dev.bascule.nic.TxQueue;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Transmit queue: two descriptors a packet, an empty header and the bytes. Packets of other queues are copied. */
final class VirtioTxQueue implements TxQueue {
    private static final int NONE = BufferPool.NONE;
    private static final int QUEUE = 1;
    private static final int SHORTEST_FRAME = 14;

    final QueueCounters counters = new QueueCounters();
    private final Refusals refused = new Refusals();
    private final VirtQueue ring;
    private final PacketPool pool;
    private final VirtioPci device;
    private final String name;
    private final int[] buffers;
    private final int[] free;
    private final PacketBatch copy = new PacketBatch(1);
    private int freeCount;
    private int uncommitted;
    private int longestFrame;
    private long poolIova;
    private long notifyOffset;
    private long reported;
    private @Nullable SentListener listener;
    private @Nullable DeviceException failure;

    VirtioTxQueue(String name, VirtQueue ring, PacketPool pool, VirtioPci device) {
        this.name = name;
        this.ring = ring;
        this.pool = pool;
        this.device = device;
        this.buffers = new int[ring.entries() / 2];
        this.free = new int[ring.entries() / 2];
        Arrays.fill(buffers, NONE);
    }

    @Override
    public int index() {
        return 0;
    }

    @Override
    public int bufferBytes() {
        return pool.buffers().bufferBytes();
    }

    void setLongestFrame(int lengthBytes) {
        longestFrame = lengthBytes;
    }

    void start(long packetsIova, long notifyAt) {
        poolIova = packetsIova;
        notifyOffset = notifyAt;
        failure = null;
        uncommitted = 0;
        freeCount = 0;
        for (int i = buffers.length - 1; i >= 0; i--) {
            free[freeCount++] = i;
        }
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
        int i = 0;
        int packets = 0;
        long bytes = 0;
        while (i < batch.size()) {
            int next = batch.next(i);
            int lengthBytes = batch.packetLength(i);
            Refusal reason = refusal(lengthBytes);
            if (reason != null) {
                if (lengthBytes != 0) {
                    refused.add(reason);
                }
                batch.memory().release(batch, i, next);
            } else if (put(batch, i, next, lengthBytes)) {
                packets++;
                bytes += lengthBytes;
            } else {
                counters.add(NO_ROOM, 1);
                break;
            }
            i = next;
        }
        PacketWriter.removeFirst(batch, i);
        uncommitted += packets;
        counters.add(PACKETS, packets);
        counters.add(BYTES, bytes);
        return packets;
    }

    private @Nullable Refusal refusal(int lengthBytes) {
        return lengthBytes < SHORTEST_FRAME
                ? Refusal.TOO_SHORT
                : lengthBytes > longestFrame ? Refusal.TOO_LONG : null;
    }

    @Override
    public @Nullable Refusal refusal(MemorySegment memory, long offset, int lengthBytes) {
        return refusal(lengthBytes);
    }

    @Override
    public Refusals refused() {
        return refused;
    }

    private boolean put(PacketBatch batch, int i, int next, int lengthBytes) {
        if (freeCount == 0 && reclaim() == 0) {
            return false;
        }
        if (batch.memory() == pool && next == i + 1) {
            insertChecksum(batch, i);
            describe((int) PacketWriter.token(batch, i), batch.offset(i), lengthBytes);
            return true;
        }
        if (pool.take(copy, 1) == 0 && (reclaim() == 0 || pool.take(copy, 1) == 0)) {
            return false;
        }
        insertChecksum(batch, i);
        batch.copyPacket(i, pool.segment(), copy.offset(0));
        describe((int) PacketWriter.token(copy, 0), copy.offset(0), lengthBytes);
        PacketWriter.removeFirst(copy, 1);
        batch.memory().release(batch, i, next);
        return true;
    }

    /** Here, because the card is not asked for any offload; there is room for the packet, so this happens once. */
    private static void insertChecksum(PacketBatch batch, int i) {
        if ((batch.flags(i) & PacketBatch.INSERT_CHECKSUM) != 0) {
            PacketWriter.insertChecksum(batch, i);
        }
    }

    private void describe(int buffer, long offset, int lengthBytes) {
        int pair = free[--freeCount];
        buffers[pair] = buffer;
        ring.describe(2 * pair, ring.headerIova(), HEADER_BYTES, DESCRIPTOR_NEXT, 2 * pair + 1);
        ring.describe(2 * pair + 1, poolIova + offset, lengthBytes, 0, 0);
        ring.offer(2 * pair);
    }

    @Override
    public int commit() {
        int packets = uncommitted;
        uncommitted = 0;
        if (packets > 0) {
            ring.publish();
            if (ring.wantsNotify()) {
                counters.add(DOORBELLS, 1);
                device.notifyQueue(notifyOffset, QUEUE);
            }
        }
        return packets;
    }

    @Override
    public int reclaim() {
        int done = ring.usedCount();
        for (int i = 0; i < done; i++) {
            int descriptor = ring.usedDescriptor();
            int pair = descriptor >> 1;
            if ((descriptor & 1) != 0 || pair < 0 || pair >= buffers.length || buffers[pair] == NONE) {
                failure = new DeviceException("send", name, "the device gave back descriptor " + descriptor
                        + ", which it was not given",
                        "stop and start the card; if it happens again the device is broken");
                throw failure;
            }
            pool.buffers().give(buffers[pair]);
            buffers[pair] = NONE;
            free[freeCount++] = pair;
            ring.consume();
            if (listener != null) {
                listener.sent(reported, PacketBatch.NO_TIMESTAMP);
            }
            reported++;
        }
        return done;
    }

    @Override
    public int inFlight() {
        return buffers.length - freeCount;
    }

    @Override
    public void onSent(@Nullable SentListener newListener) {
        listener = newListener;
    }

    /** Takes back what the device holds; it has been reset. */
    void stop() {
        for (int i = 0; i < buffers.length; i++) {
            if (buffers[i] != NONE) {
                pool.buffers().give(buffers[i]);
                buffers[i] = NONE;
            }
        }
        freeCount = buffers.length;
        uncommitted = 0;
    }
}
