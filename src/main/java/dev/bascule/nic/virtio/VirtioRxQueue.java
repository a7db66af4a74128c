package dev.bascule.nic.virtio;

import static dev.bascule.nic.QueueCounters.*;
import static dev.bascule.nic.virtio.VirtioRegisters.*;

import dev.bascule.device.DeviceException;
import dev.bascule.device.Interrupt;
import dev.bascule.memory.BufferPool;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketWriter;
import dev.bascule.nic.PacketPool;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.RxQueue;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Receive queue: one descriptor and one buffer a packet, the header of virtio before its bytes. */
final class VirtioRxQueue implements RxQueue {
    private static final int NONE = BufferPool.NONE;
    private static final long NAP_NANOS = 50_000;

    final QueueCounters counters = new QueueCounters();
    /** Written by the queue's thread, read by any. */
    private final AtomicLong ranDry = new AtomicLong();
    private final VirtQueue ring;
    private final PacketPool pool;
    private final VirtioPci device;
    private final String name;
    private final int[] buffers;
    private final int[] free;
    private int freeCount;
    private long poolIova;
    private long notifyOffset;
    private @Nullable Interrupt interrupt;
    private @Nullable DeviceException failure;

    VirtioRxQueue(String name, VirtQueue ring, PacketPool pool, VirtioPci device) {
        this.name = name;
        this.ring = ring;
        this.pool = pool;
        this.device = device;
        this.buffers = new int[ring.entries()];
        this.free = new int[ring.entries()];
        Arrays.fill(buffers, NONE);
    }

    @Override
    public int index() {
        return 0;
    }

    void start(long packetsIova, long notifyAt, @Nullable Interrupt vector) {
        poolIova = packetsIova;
        notifyOffset = notifyAt;
        interrupt = vector;
        failure = null;
        freeCount = 0;
        for (int i = ring.entries() - 1; i >= 0; i--) {
            free[freeCount++] = i;
        }
    }

    /** Gives the device buffers, as many as there are. */
    void refill() {
        int given = 0;
        while (freeCount > 0) {
            int buffer = pool.buffers().take();
            if (buffer == NONE) {
                counters.add(NO_ROOM, 1);
                break;
            }
            int descriptor = free[--freeCount];
            buffers[descriptor] = buffer;
            ring.describe(descriptor, poolIova + pool.buffers().offset(buffer), pool.buffers().bufferBytes(),
                    DESCRIPTOR_WRITE, 0);
            ring.offer(descriptor);
            given++;
        }
        if (given > 0) {
            ring.publish();
            if (ring.wantsNotify()) {
                counters.add(DOORBELLS, 1);
                device.notifyQueue(notifyOffset, 0);
            }
        }
    }

    /** Times the device was found to have used every buffer it was given: what came then waited or was lost. */
    long ranDry() {
        return ranDry.getOpaque();
    }

    @Override
    public int poll(PacketBatch batch) {
        if (failure != null) {
            throw failure;
        }
        int ready = Math.min(ring.usedCount(), batch.room());
        if (ready == 0) {
            return 0;
        }
        PacketWriter.open(batch, pool);
        int before = batch.size();
        long bytes = 0;
        if (freeCount + ring.usedCount() == ring.entries()) {
            ranDry.setOpaque(ranDry.getOpaque() + 1);
        }
        for (int i = 0; i < ready; i++) {
            bytes += take(batch);
        }
        int packets = batch.size() - before;
        counters.add(PACKETS, packets);
        counters.add(BYTES, bytes);
        refill();
        return packets;
    }

    private int take(PacketBatch batch) {
        int descriptor = ring.usedDescriptor();
        int lengthBytes = ring.usedLength() - HEADER_BYTES;
        if (descriptor < 0 || descriptor >= buffers.length || buffers[descriptor] == NONE
                || lengthBytes > pool.buffers().bufferBytes() - HEADER_BYTES) {
            failure = new DeviceException("receive", name, "the device gave back descriptor " + descriptor + " with "
                    + (lengthBytes + HEADER_BYTES) + " bytes, which it was not given",
                    "stop and start the card; if it happens again the device is broken");
            throw failure;
        }
        int buffer = buffers[descriptor];
        buffers[descriptor] = NONE;
        free[freeCount++] = descriptor;
        ring.consume();
        if (lengthBytes <= 0) {
            counters.add(ERRORS, 1);
            pool.buffers().give(buffer);
            return 0;
        }
        PacketWriter.add(batch, buffer, pool.buffers().offset(buffer) + HEADER_BYTES, lengthBytes, 0);
        return lengthBytes;
    }

    @Override
    public boolean await(long timeoutNanos) {
        long deadline = device.nanoTime() + timeoutNanos;
        ring.interrupts(true);
        try {
            while (ring.usedCount() == 0) {
                long rest = deadline - device.nanoTime();
                if (rest <= 0) {
                    return false;
                }
                Interrupt vector = interrupt;
                if (vector != null) {
                    vector.await(rest);
                } else {
                    LockSupport.parkNanos(Math.min(rest, NAP_NANOS));
                }
            }
            return true;
        } finally {
            ring.interrupts(false);
        }
    }

    /** Takes back what the device holds; it has been reset. */
    void stop() {
        for (int i = 0; i < buffers.length; i++) {
            if (buffers[i] != NONE) {
                pool.buffers().give(buffers[i]);
                buffers[i] = NONE;
            }
        }
        interrupt = null;
    }
}
