package dev.bascule.nic.corundum;

import static dev.bascule.nic.QueueCounters.*;
import static dev.bascule.nic.corundum.MqnicFormats.*;

import dev.bascule.memory.BufferPool;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketWriter;
import dev.bascule.nic.PacketPool;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.RxQueue;
import org.jspecify.annotations.Nullable;

/** Receive queue: a ring of empty buffers, a ring of completions that normally come in its order. */
final class CorundumRxQueue implements RxQueue {
    final QueueCounters counters = new QueueCounters();
    private final int index;
    private final DescriptorRing ring;
    private final CompletionRing completions;
    private final @Nullable EventSource events;
    private final PacketPool pool;
    private final BufferPool buffers;
    private final long poolIova;
    private final int fragments;
    private final int refillAt;
    private final int flags;
    private final @Nullable TimestampUnit timestamps;
    private int longestFrame;
    private long burstBytes;
    private int burstErrors;

    /**
     * @param flags what the device says about packets, {@code PacketBatch.HAS_*}
     * @param timestamps null if they are not wanted
     */
    CorundumRxQueue(int index, DescriptorRing ring, CompletionRing completions,
            @Nullable EventSource events,
            PacketPool pool, long poolIova, int flags, @Nullable TimestampUnit timestamps) {
        this.index = index;
        this.ring = ring;
        this.completions = completions;
        this.events = events;
        this.pool = pool;
        this.buffers = pool.buffers();
        this.poolIova = poolIova;
        this.fragments = ring.fragments();
        this.refillAt = Math.min(32, ring.entries() / 4);
        this.flags = flags;
        this.timestamps = timestamps;
    }

    @Override
    public int index() {
        return index;
    }

    /** Longer frames are dropped and counted as damaged: the card may have cut them. */
    void setLongestFrame(int lengthBytes) {
        longestFrame = lengthBytes;
    }

    /** Hands the ring's buffers to the device; the queue is enabled after this. */
    void start() {
        if (events != null) {
            events.start();
        }
        completions.start();
        ring.start();
        refill();
        ring.enable();
    }

    /** Takes all buffers back; the device is out of them or gone. */
    void stop() {
        try {
            ring.disable();
            completions.disable();
            if (events != null) {
                events.stop();
            }
        } finally {
            ring.stop(buffers::give);
        }
    }

    @Override
    public int poll(PacketBatch batch) {
        ring.requireHealthy();
        PacketWriter.open(batch, pool);
        int before = batch.size();
        int ready = completions.ready(batch.room() >>> ring.logBlock());
        if (ready == 0) {
            return 0;
        }
        burstBytes = 0;
        burstErrors = 0;
        int done = 0;
        while (done < ready) {
            int quick = fragments == 1 ? inOrder(batch, ready - done) : 0;
            if (quick == 0 && !takeAny(batch)) {
                break;
            }
            done += Math.max(quick, 1);
        }
        account(done);
        if (batch.size() == before) {
            ring.requireHealthy();
        }
        return batch.size() - before;
    }

    /** The usual case in a loop of its own: completions in order, one buffer each. Stops at what is different; says after how many. */
    private int inOrder(PacketBatch batch, int ready) {
        int slot = ring.headSlot();
        int most = Math.min(ready, ring.committedAhead());
        int expected = ring.expected();
        int bufferBytes = buffers.bufferBytes();
        int longest = Math.min(bufferBytes, longestFrame);
        int packetFlags = flags;
        int size = batch.size();
        TimestampUnit unit = timestamps;
        long bytes = 0;
        int i = 0;
        for (; i < most; i++) {
            long word = completions.word(i, 0);
            int buffer = ring.buffer(slot + i);
            int lengthBytes = (int) (word >>> 8 * COMPLETION_LENGTH) & 0xFFFF;
            if ((int) word != expected + (i << 16) || buffer == DescriptorRing.NONE
                    || Integer.compareUnsigned(lengthBytes - 1, longest) >= 0) {
                break;
            }
            ring.take(slot + i);
            long time = completions.word(i, COMPLETION_NANOS);
            PacketWriter.put(batch, size + i, buffer, (long) buffer * bufferBytes, lengthBytes, packetFlags,
                    (int) completions.word(i, COMPLETION_RX_HASH), (int) (time >>> 48),
                    unit == null ? PacketBatch.NO_TIMESTAMP : unit.extend(time));
            bytes += lengthBytes;
        }
        PacketWriter.setSize(batch, size + i);
        ring.pop(i);
        completions.advance(i);
        burstBytes += bytes;
        return i;
    }

    /** Any completion: out of order, of several buffers, damaged. False if it stopped the queue. */
    private boolean takeAny(PacketBatch batch) {
        long word = completions.word(0, 0);
        int slot = ring.complete(word);
        if (slot < 0) {
            return false;
        }
        long time = completions.word(0, COMPLETION_NANOS);
        int hash = (int) completions.word(0, COMPLETION_RX_HASH);
        completions.advance(1);
        int lengthBytes = (int) (word >>> 8 * COMPLETION_LENGTH) & 0xFFFF;
        int entry = batch.size();
        if (!scattered(batch, slot, lengthBytes)) {
            burstErrors++;
            return true;
        }
        PacketWriter.describe(batch, entry, hash, (int) (time >>> 48),
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
        if (ring.room() >= refillAt) {
            doorbells += refill();
        }
        if (doorbells != 0) {
            counters.add(DOORBELLS, doorbells);
        }
    }

    /** Gives the device buffers for all free slots; returns how many doorbells it rang. */
    private int refill() {
        ring.skipCompleted();
        int wanted = ring.room();
        int blocks = Math.min(wanted, buffers.available() >>> ring.logBlock());
        if (blocks != wanted) {
            counters.add(NO_ROOM, 1);
        }
        ring.push(buffers, poolIova, blocks);
        return ring.commit() == 0 ? 0 : 1;
    }

    private boolean scattered(PacketBatch batch, int slot, int lengthBytes) {
        int bufferBytes = buffers.bufferBytes();
        int mostBytes = Math.min(longestFrame, fragments * bufferBytes);
        boolean whole = lengthBytes != 0 && lengthBytes <= mostBytes; // else the device may have cut it
        int rest = whole ? lengthBytes : 0;
        for (int i = slot; i < slot + fragments; i++) {
            int buffer = ring.take(i);
            if (rest == 0) {
                buffers.give(buffer);
                continue;
            }
            int part = Math.min(rest, bufferBytes);
            rest -= part;
            PacketWriter.add(batch, buffer, buffers.offset(buffer), part, rest == 0 ? flags : flags | PacketBatch.MORE);
        }
        return whole;
    }

    @Override
    public boolean await(long timeoutNanos) {
        ring.requireHealthy();
        return completions.await(events, timeoutNanos);
    }
}
