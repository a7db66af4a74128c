package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicFormats.*;

import dev.bascule.ffi.RawMemory;
import dev.bascule.memory.BufferPool;
import dev.bascule.nic.QueueCounters;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The buffers of a receive queue that are with the device. */
final class RxRing {
    private static final VarHandle INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    static final int NONE = BufferPool.NONE;

    final DescriptorRing ring;
    final BufferPool buffers;
    final int fragments;
    /** For each descriptor of the ring its buffer, or {@link #NONE}. */
    final int[] slots;
    /** First slot not completed. */
    int head;
    /** First slot not filled. */
    int tail;
    private final QueueCounters counters;
    private final long poolIova;

    RxRing(DescriptorRing ring, BufferPool buffers, long poolIova, QueueCounters counters) {
        this.ring = ring;
        this.buffers = buffers;
        this.poolIova = poolIova;
        this.counters = counters;
        this.fragments = 1 << ring.logBlock;
        this.slots = new int[ring.entries() * fragments];
        Arrays.fill(slots, NONE);
    }

    /** Sets the ring up and hands all its buffers over; the queue is to be enabled after this. */
    void start() {
        head = 0;
        tail = 0;
        ring.configure();
        for (int i = 0; i < slots.length; i++) { // lengths never change
            INT.set(ring.memory, ring.start + (long) i * DESCRIPTOR_BYTES + DESCRIPTOR_LENGTH, buffers.bufferBytes());
        }
        refill();
    }

    /** Takes all buffers back from a device that is out of them. */
    void takeBack() {
        for (int i = 0; i < slots.length; i++) {
            if (slots[i] != NONE) {
                buffers.give(slots[i]);
                slots[i] = NONE;
            }
        }
        head = tail;
    }

    /** Slots to be filled. */
    int free() {
        return ring.entries() - (tail - head);
    }

    /** Slots that were completed out of order, earlier. */
    void skipCompleted() {
        while (tail != head && slots[(head & ring.mask) * fragments] == NONE) {
            head++;
        }
    }

    /** Gives the device buffers for all free slots; says how many doorbells it took. */
    int refill() {
        skipCompleted();
        int wanted = free();
        int blocks = Math.min(wanted, buffers.available() >>> ring.logBlock);
        if (blocks != wanted) {
            counters.add(QueueCounters.NO_ROOM, 1);
        }
        if (blocks == 0) {
            return 0;
        }
        int first = tail & ring.mask;
        int straight = Math.min(blocks, ring.entries() - first);
        fill(first * fragments, straight * fragments);
        fill(0, (blocks - straight) * fragments);
        tail += blocks;
        ring.publish(tail);
        return 1;
    }

    private void fill(int from, int count) {
        buffers.take(slots, from, count);
        long addresses = ring.address() + DESCRIPTOR_ADDRESS;
        int[] held = slots;
        long base = poolIova;
        long bufferBytes = buffers.bufferBytes();
        for (int i = from; i < from + count; i++) {
            RawMemory.store(addresses + (long) i * DESCRIPTOR_BYTES, base + held[i] * bufferBytes); // i is a slot
        }
    }
}
