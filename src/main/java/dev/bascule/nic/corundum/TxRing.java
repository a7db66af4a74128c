package dev.bascule.nic.corundum;

import static dev.bascule.nic.QueueCounters.*;
import static dev.bascule.nic.corundum.MqnicFormats.*;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.RawMemory;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.TxQueue.SentListener;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What of a transmit queue is with the device: which buffers, told or not, and what it reports about them. */
final class TxRing {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    static final int NONE = dev.bascule.memory.BufferPool.NONE;

    final DescriptorRing ring;
    final TxOwners owners;
    final int fragments;
    /** For each descriptor of the ring whose buffer it names, or {@link #NONE}. */
    final int[] slots;
    /** First packet not reported as sent. */
    int head;
    /** First packet not written. */
    int tail;
    /** First packet the device was not told of. */
    int committed;
    /** Packets written, ever. */
    long written;
    @Nullable
    SentListener listener;
    private final String name;
    private final CompletionRing completions;
    private final QueueCounters counters;
    private final @Nullable TimestampUnit timestamps;
    private @Nullable DeviceException failure;

    TxRing(String name, DescriptorRing ring, CompletionRing completions, TxOwners owners, QueueCounters counters,
            @Nullable TimestampUnit timestamps) {
        this.name = name;
        this.ring = ring;
        this.completions = completions;
        this.owners = owners;
        this.counters = counters;
        this.timestamps = timestamps;
        this.fragments = 1 << ring.logBlock;
        this.slots = new int[ring.entries() * fragments];
        this.failure = DeviceFault.stopped(name);
        Arrays.fill(slots, NONE);
    }

    /** Throws what stopped the queue, if something did. */
    void requireHealthy() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Packets that can be written. */
    int room() {
        return ring.entries() - (tail - head);
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
            failure = DeviceFault.stopped(name);
        }
    }

    /** Tells the device about what was written. */
    int commit() {
        int count = tail - committed;
        if (count != 0) {
            committed = tail;
            ring.publish(tail);
            counters.add(DOORBELLS, 1);
        }
        return count;
    }

    /** Takes back what was sent. */
    int reclaim() {
        requireHealthy();
        int ready = completions.ready(tail - head + 1); // one more than can be right, to notice it
        if (ready == 0) {
            return 0;
        }
        int done = 0;
        while (done < ready) {
            int quick = fragments == 1 && listener == null ? inOrder(ready - done) : 0;
            if (quick == 0 && !other()) {
                break;
            }
            done += Math.max(quick, 1);
        }
        if (completions.acknowledgeSome() != 0) {
            counters.add(DOORBELLS, 1);
        }
        requireHealthy();
        return done;
    }

    /** The usual case: packets of one owner sent in order. Stops at what is different, or where a ring begins anew. */
    private int inOrder(int ready) {
        int[] held = slots;
        int first = head & ring.mask;
        int known = held[first];
        int most = Math.min(Math.min(ready, committed - head), Math.min(completions.straight(), ring.straight(first)));
        if (known == NONE || most <= 0) {
            return 0;
        }
        long records = completions.nextAddress();
        int expected = ring.number | head << 16;
        int i = 0;
        while (i < most && (int) RawMemory.load(records + (long) i * COMPLETION_BYTES) == expected + (i << 16)
                && TxOwners.isSame(held[first + i], known)) { // and so not NONE
            i++;
        }
        owners.give(held, first, i);
        Arrays.fill(held, first, first + i, NONE);
        head += i;
        completions.advance(i);
        return i;
    }

    /** Any completion: out of order, of several buffers, to be reported. False if it stopped the queue. */
    private boolean other() {
        long at = completions.at(0);
        long word = (long) LONG.get(ring.memory, at);
        int slot = head & ring.mask;
        if ((int) word == (ring.number | head << 16) && head != committed && slots[slot * fragments] != NONE) {
            head++;
        } else if ((slot = unusual(word)) < 0) {
            return false;
        }
        if (listener != null) {
            report(listener, (int) (word >>> 16), (long) LONG.get(ring.memory, at + 8));
        }
        completions.advance(1);
        free(slot);
        return true;
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
}
