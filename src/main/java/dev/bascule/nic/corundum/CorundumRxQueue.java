package dev.bascule.nic.corundum;

import static dev.bascule.nic.QueueCounters.*;
import static dev.bascule.nic.corundum.MqnicFormats.*;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.RawMemory;
import dev.bascule.memory.BufferPool;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketPool;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.RxQueue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Receive queue: a ring of empty buffers, a ring of completions that normally come in its order. */
final class CorundumRxQueue implements RxQueue {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    final QueueCounters counters = new QueueCounters();
    private final int index;
    private final String name;
    private final RxRing rx;
    private final DescriptorRing ring;
    private final CompletionRing completions;
    private final @Nullable EventSource events;
    private final PacketPool pool;
    private final BufferPool buffers;
    private final int fragments;
    private final int refillAt;
    private final int flags;
    private final @Nullable TimestampUnit timestamps;
    private long burstBytes;
    private int burstErrors;
    private @Nullable DeviceException failure;

    /**
     * @param flags what the device says about packets, {@code PacketBatch.HAS_*}
     * @param timestamps null if they are not wanted
     */
    CorundumRxQueue(int index, String name, DescriptorRing ring, CompletionRing completions,
            @Nullable EventSource events,
            PacketPool pool, long poolIova, int flags, @Nullable TimestampUnit timestamps) {
        this.index = index;
        this.name = name;
        this.ring = ring;
        this.rx = new RxRing(ring, pool.buffers(), poolIova, counters);
        this.completions = completions;
        this.events = events;
        this.pool = pool;
        this.buffers = pool.buffers();
        this.fragments = rx.fragments;
        this.refillAt = Math.min(32, ring.entries() / 4);
        this.flags = flags;
        this.timestamps = timestamps;
        this.failure = DeviceFault.stopped(name);
    }

    @Override
    public int index() {
        return index;
    }

    /** Hands the ring's buffers to the device; the queue is enabled after this. */
    void start() {
        failure = null;
        if (events != null) {
            events.start();
        }
        completions.start();
        rx.start();
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
            rx.takeBack();
            failure = DeviceFault.stopped(name);
        }
    }

    @Override
    public int poll(PacketBatch batch) {
        if (failure != null) {
            throw failure;
        }
        batch.openFor(pool);
        int before = batch.size();
        int ready = completions.ready(batch.room() >>> ring.logBlock);
        if (ready == 0) {
            return 0;
        }
        burstBytes = 0;
        burstErrors = 0;
        int done = 0;
        while (done < ready) {
            int quick = fragments == 1 ? inOrder(batch, ready - done) : 0;
            if (quick == 0 && !other(batch)) {
                break;
            }
            done += Math.max(quick, 1);
        }
        account(done);
        if (failure != null && batch.size() == before) {
            throw failure;
        }
        return batch.size() - before;
    }

    /**
     * The usual case in a loop of its own, with everything in registers: completions in order, one buffer each. Stops at
     * what is different, and where a ring begins anew; says how many there were.
     */
    private int inOrder(PacketBatch batch, int ready) {
        int[] held = rx.slots;
        int first = rx.head & ring.mask;
        int most = Math.min(ready, Math.min(completions.straight(), ring.straight(first)));
        long records = completions.nextAddress();
        int expected = ring.number | rx.head << 16;
        int bufferBytes = buffers.bufferBytes();
        int packetFlags = flags;
        int size = batch.size();
        TimestampUnit unit = timestamps;
        long bytes = 0;
        int i = 0;
        for (; i < most; i++) {
            long at = records + (long) i * COMPLETION_BYTES; // in bounds by straight()
            long word = RawMemory.load(at);
            int buffer = held[first + i];
            int lengthBytes = (int) (word >>> 8 * COMPLETION_LENGTH) & 0xFFFF;
            if ((int) word != expected + (i << 16) || buffer == RxRing.NONE
                    || Integer.compareUnsigned(lengthBytes - 1, bufferBytes) >= 0) {
                break;
            }
            held[first + i] = RxRing.NONE;
            long time = RawMemory.load(at + 8);
            batch.put(size + i, buffer, (long) buffer * bufferBytes, lengthBytes, packetFlags,
                    (int) RawMemory.load(at + COMPLETION_RX_HASH), (int) (time >>> 48),
                    unit == null ? PacketBatch.NO_TIMESTAMP : unit.extend(time));
            bytes += lengthBytes;
        }
        batch.setSize(size + i);
        rx.head += i;
        completions.advance(i);
        burstBytes += bytes;
        return i;
    }

    /** Any completion: out of order, of several buffers, damaged. False if it stopped the queue. */
    private boolean other(PacketBatch batch) {
        MemorySegment memory = ring.memory;
        long at = completions.at(0);
        long word = (long) LONG.get(memory, at);
        int slot = rx.head & ring.mask;
        if ((int) word == (ring.number | rx.head << 16) && rx.slots[slot * fragments] != RxRing.NONE) {
            rx.head++;
        } else if ((slot = unusual(word)) < 0) {
            return false;
        }
        completions.advance(1);
        int lengthBytes = (int) (word >>> 8 * COMPLETION_LENGTH) & 0xFFFF;
        int entry = batch.size();
        if (!scattered(batch, slot, lengthBytes)) {
            burstErrors++;
            return true;
        }
        long time = (long) LONG.get(memory, at + 8);
        batch.describe(entry, (int) INT.get(memory, at + COMPLETION_RX_HASH), (int) (time >>> 48),
                timestamps == null ? PacketBatch.NO_TIMESTAMP : timestamps.extend(time));
        burstBytes += lengthBytes;
        return true;
    }

    private void account(int completed) {
        counters.add(PACKETS, completed - burstErrors);
        counters.add(BYTES, burstBytes);
        if (burstErrors != 0) {
            counters.add(ERRORS, burstErrors);
        }
        int doorbells = completions.acknowledgeSome();
        if (rx.free() >= refillAt) {
            doorbells += rx.refill();
        }
        if (doorbells != 0) {
            counters.add(DOORBELLS, doorbells);
        }
    }

    private boolean scattered(PacketBatch batch, int slot, int lengthBytes) {
        int bufferBytes = buffers.bufferBytes();
        boolean whole = lengthBytes != 0 && lengthBytes <= fragments * bufferBytes; // else the device has cut it
        int rest = whole ? lengthBytes : 0;
        for (int i = slot * fragments; i < (slot + 1) * fragments; i++) {
            int buffer = rx.slots[i];
            rx.slots[i] = RxRing.NONE;
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
        rx.skipCompleted();
        int slot = at & ring.mask;
        if (queue != ring.number) {
            failure = DeviceFault.foreign(name, queue);
        } else if ((at - rx.head & 0xFFFF) >= rx.tail - rx.head || rx.slots[slot * fragments] == RxRing.NONE) {
            failure = DeviceFault.notPosted(name, at, rx.head, rx.tail);
        }
        if (failure != null) {
            ring.disable();
            return -1;
        }
        return slot;
    }

    @Override
    public boolean await(long timeoutNanos) {
        if (failure != null) {
            throw failure;
        }
        return Arrivals.await(completions, events, timeoutNanos);
    }
}
