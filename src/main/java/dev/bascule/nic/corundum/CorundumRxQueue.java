package dev.bascule.nic.corundum;

import static dev.bascule.nic.QueueCounters.*;
import static dev.bascule.nic.corundum.MqnicFormats.*;

import dev.bascule.device.DeviceException;
import dev.bascule.device.Interrupt;
import dev.bascule.memory.BufferPool;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketPool;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.RxQueue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Receive queue: a ring of empty buffers, a ring of completions that normally come in its order. */
final class CorundumRxQueue implements RxQueue {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final int NONE = BufferPool.NONE;
    private static final long NAP_NANOS = 20_000;

    final QueueCounters counters = new QueueCounters();
    private final int index;
    private final String name;
    private final WorkRing ring;
    private final RecordRing completions;
    private final @Nullable EventSource events;
    private final PacketPool pool;
    private final BufferPool buffers;
    private final long poolIova;
    private final int[] slots;
    private final int fragments;
    private final int refillAt;
    private final int flags;
    private final @Nullable TimestampUnit timestamps;
    private int head;
    private int tail;
    private @Nullable DeviceException failure;

    /**
     * @param flags what the device says about packets, {@code PacketBatch.HAS_*}
     * @param timestamps null if they are not wanted
     */
    CorundumRxQueue(int index, String name, WorkRing ring, RecordRing completions, @Nullable EventSource events,
            PacketPool pool, long poolIova, int flags, @Nullable TimestampUnit timestamps) {
        this.index = index;
        this.name = name;
        this.ring = ring;
        this.completions = completions;
        this.events = events;
        this.pool = pool;
        this.buffers = pool.buffers();
        this.poolIova = poolIova;
        this.fragments = 1 << ring.logBlock;
        this.slots = new int[ring.entries() * fragments];
        this.refillAt = Math.min(32, ring.entries() / 4);
        this.flags = flags;
        this.timestamps = timestamps;
        Arrays.fill(slots, NONE);
    }

    @Override
    public int index() {
        return index;
    }

    /** Hands the ring's buffers to the device; the queue is enabled after this. */
    void start() {
        failure = null;
        head = 0;
        tail = 0;
        if (events != null) {
            events.start();
        }
        completions.start();
        ring.configure();
        for (int slot = 0; slot < ring.entries(); slot++) { // lengths never change
            for (int i = 0; i < fragments; i++) {
                INT.set(ring.memory, ring.descriptor(slot) + (long) i * DESCRIPTOR_BYTES + DESCRIPTOR_LENGTH,
                        buffers.bufferBytes());
            }
        }
        refill();
        ring.enable();
    }

    /** Takes all buffers back; the device is out of them or gone. */
    void stop() {
        try {
            ring.disable();
            ring.awaitIdle();
            completions.disable();
            if (events != null) {
                events.stop();
            }
        } finally {
            for (int i = 0; i < slots.length; i++) {
                if (slots[i] != NONE) {
                    buffers.give(slots[i]);
                    slots[i] = NONE;
                }
            }
            head = tail;
        }
    }

    @Override
    public int poll(PacketBatch batch) {
        if (failure != null) {
            throw failure;
        }
        batch.openFor(pool);
        int before = batch.size();
        long bytes = 0;
        int packets = 0;
        int errors = 0;
        MemorySegment memory = ring.memory;
        while (batch.room() >= fragments) {
            long at = completions.peek();
            if (at < 0) {
                break;
            }
            long word = (long) LONG.get(memory, at);
            int slot = head & ring.mask;
            if ((int) word == (ring.number | head << 16) && slots[slot * fragments] != NONE) {
                head++;
            } else if ((slot = unusual(word)) < 0) {
                break;
            }
            completions.advance();
            int lengthBytes = (int) (word >>> 8 * COMPLETION_LENGTH) & 0xFFFF;
            int entry = batch.size();
            if (fragments == 1 ? !single(batch, slot, lengthBytes) : !scattered(batch, slot, lengthBytes)) {
                errors++;
                continue;
            }
            long time = (long) LONG.get(memory, at + 8);
            batch.describe(entry, (int) INT.get(memory, at + COMPLETION_RX_HASH), networkOrder(time),
                    timestamps == null ? PacketBatch.NO_TIMESTAMP : timestamps.extend(time));
            packets++;
            bytes += lengthBytes;
        }
        if (packets + errors != 0) {
            account(packets, bytes, errors);
        }
        if (failure != null && batch.size() == before) {
            throw failure;
        }
        return batch.size() - before;
    }

    /** The sum is stored little endian, of big-endian words: its value as it is read. */
    private static int networkOrder(long time) {
        return (int) (time >>> 8 * (COMPLETION_RX_CHECKSUM - 8)) & 0xFFFF;
    }

    private void account(int packets, long bytes, int errors) {
        counters.add(PACKETS, packets);
        counters.add(BYTES, bytes);
        if (errors != 0) {
            counters.add(ERRORS, errors);
        }
        int doorbells = completions.acknowledgeSome();
        if (ring.entries() - (tail - head) >= refillAt) {
            doorbells += refill();
        }
        if (doorbells != 0) {
            counters.add(DOORBELLS, doorbells);
        }
    }

    private boolean single(PacketBatch batch, int slot, int lengthBytes) {
        int buffer = slots[slot];
        slots[slot] = NONE;
        if (lengthBytes == 0 || lengthBytes > buffers.bufferBytes()) { // the device has cut what did not fit
            buffers.give(buffer);
            return false;
        }
        batch.add(buffer, buffers.offset(buffer), lengthBytes, flags);
        return true;
    }

    private boolean scattered(PacketBatch batch, int slot, int lengthBytes) {
        int bufferBytes = buffers.bufferBytes();
        boolean whole = lengthBytes != 0 && lengthBytes <= fragments * bufferBytes;
        int rest = whole ? lengthBytes : 0;
        for (int i = slot * fragments; i < (slot + 1) * fragments; i++) {
            int buffer = slots[i];
            slots[i] = NONE;
            if (rest == 0) {
                buffers.give(buffer);
                continue;
            }
            int part = Math.min(rest, bufferBytes);
            rest -= part;
            batch.add(buffer, buffers.offset(buffer), part, rest == 0 ? flags : flags | PacketBatch.MORE);
        }
        return whole;
    }

    /** A completion out of order: legal if the device has the slot. Says which, or -1 after it stopped the queue. */
    private int unusual(long word) {
        int queue = (int) word & 0xFFFF;
        int at = (int) (word >>> 8 * COMPLETION_INDEX) & 0xFFFF;
        skipCompleted();
        int slot = at & ring.mask;
        if (queue != ring.number) {
            failure = DeviceFault.foreign(name, queue);
        } else if ((at - head & 0xFFFF) >= tail - head || slots[slot * fragments] == NONE) {
            failure = DeviceFault.notPosted(name, at, head, tail);
        }
        if (failure != null) {
            ring.disable();
            return -1;
        }
        return slot;
    }

    /** Slots that were completed out of order, earlier. */
    private void skipCompleted() {
        while (tail != head && slots[(head & ring.mask) * fragments] == NONE) {
            head++;
        }
    }

    /** Gives the device buffers for all free slots; says how many doorbells it took. */
    private int refill() {
        MemorySegment memory = ring.memory;
        skipCompleted();
        int upto = head + ring.entries();
        int from = tail;
        while (tail != upto && buffers.available() >= fragments) {
            long descriptor = ring.descriptor(tail);
            int slot = (tail & ring.mask) * fragments;
            for (int i = 0; i < fragments; i++) {
                int buffer = buffers.take();
                slots[slot + i] = buffer;
                LONG.set(memory, descriptor + (long) i * DESCRIPTOR_BYTES + DESCRIPTOR_ADDRESS,
                        poolIova + buffers.offset(buffer));
            }
            tail++;
        }
        if (tail != upto) {
            counters.add(NO_ROOM, 1);
        }
        if (tail == from) {
            return 0;
        }
        ring.publish(tail);
        return 1;
    }

    @Override
    public boolean await(long timeoutNanos) {
        if (failure != null) {
            throw failure;
        }
        if (completions.peek() >= 0) {
            return true;
        }
        long end = System.nanoTime() + timeoutNanos;
        EventSource source = events;
        if (source == null) {
            while (completions.peek() < 0 && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(Math.min(NAP_NANOS, Math.max(1, end - System.nanoTime())));
            }
            return completions.peek() >= 0;
        }
        source.drain();
        completions.acknowledgeAndArm();
        Interrupt interrupt = source.interrupt();
        while (completions.peek() < 0) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                break;
            }
            interrupt.await(left);
            source.drain();
        }
        return completions.peek() >= 0;
    }
}
