package dev.bascule.nic.corundum;

import static dev.bascule.nic.QueueCounters.*;
import static dev.bascule.nic.corundum.MqnicFormats.*;

import dev.bascule.memory.BufferPool;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketWriter;
import dev.bascule.nic.PacketPool;
import dev.bascule.nic.QueueCounters;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TimestampUnit;
import org.jspecify.annotations.Nullable;

/** Receive queue: a ring of empty buffers, one for each frame, and a ring of completions that normally come in its order. */
final class CorundumRxQueue implements RxQueue {
    final QueueCounters counters = new QueueCounters();
    final RareCounts rare = new RareCounts();
    private final int index;
    private final DescriptorRing ring;
    private final CompletionRing completions;
    private final @Nullable EventSource events;
    private final PacketPool pool;
    private final BufferPool buffers;
    private final long poolIova;
    private final int refillAt;
    private volatile boolean works;
    private final int flags;
    private final @Nullable TimestampUnit timestamps;
    private int longestFrame;
    private long burstBytes;
    private int burstDropped;

    /**
     * @param flags what the device can say about packets, {@code PacketBatch.HAS_*} and {@code TRANSPORT}
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
        works = true;
    }

    /** Has the device fetch no more. */
    void disable() {
        works = false;
        ring.disable();
    }

    /** Takes what a disabled queue still completes, and drops it; whether that was all. */
    boolean settle() {
        while (ring.isHealthy() && completions.isReady()) {
            int slot = ring.complete(completions.word(0, 0));
            if (slot >= 0) {
                buffers.give(ring.take(slot));
            }
            completions.advance(1);
        }
        return ring.isSettled();
    }

    /** Takes all buffers back; the device is out of them or gone. */
    void stop() {
        try {
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
        int ready = completions.ready(batch.room());
        if (ready == 0) {
            revive();
            return 0;
        }
        if (timestamps != null) {
            timestamps.refresh();
        }
        burstBytes = 0;
        burstDropped = 0;
        int done = 0;
        while (done < ready) {
            int quick = inOrder(batch, ready - done);
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
        int longest = longestFrame; // which a buffer holds
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
            long hash = completions.word(i, COMPLETION_RX_HASH);
            PacketWriter.put(batch, size + i, buffer, (long) buffer * bufferBytes, lengthBytes,
                    packetFlags & said(hash), (int) hash, (int) (time >>> 48),
                    unit == null ? PacketBatch.NO_TIMESTAMP : unit.extend(time & 0xFFFFFFFFL, (int) (time >>> 32)));
            bytes += lengthBytes;
        }
        PacketWriter.setSize(batch, size + i);
        ring.pop(i);
        completions.advance(i);
        burstBytes += bytes;
        return i;
    }

    /** Any completion: out of order, too long, empty, of a former life. False if it stopped the queue. */
    private boolean takeAny(PacketBatch batch) {
        long word = completions.word(0, 0);
        int slot = ring.complete(word);
        if (slot == DescriptorRing.BROKEN) {
            return false;
        }
        long time = completions.word(0, COMPLETION_NANOS);
        long hash = completions.word(0, COMPLETION_RX_HASH);
        completions.advance(1);
        int lengthBytes = (int) (word >>> 8 * COMPLETION_LENGTH) & 0xFFFF;
        if (slot == DescriptorRing.STALE || lengthBytes == 0 || lengthBytes > longestFrame) {
            drop(slot, lengthBytes);
            return true;
        }
        int buffer = ring.take(slot);
        PacketWriter.put(batch, batch.size(), buffer, buffers.offset(buffer), lengthBytes, flags & said(hash),
                (int) hash, (int) (time >>> 48),
                timestamps == null
                        ? PacketBatch.NO_TIMESTAMP
                        : timestamps.extend(time & 0xFFFFFFFFL, (int) (time >>> 32)));
        PacketWriter.setSize(batch, batch.size() + 1);
        burstBytes += lengthBytes;
        return true;
    }

    private void drop(int slot, int lengthBytes) {
        burstDropped++;
        if (slot == DescriptorRing.STALE) {
            rare.addStale();
            return;
        }
        buffers.give(ring.take(slot));
        if (lengthBytes == 0) {
            counters.add(ERRORS, 1);
        } else {
            rare.addTooLong(); // the card has cut it to its own maximum or to the buffer
        }
    }

    private void account(int completed) {
        counters.add(PACKETS, completed - burstDropped);
        counters.add(BYTES, burstBytes);
        int doorbells = completions.acknowledgeSome();
        if (ring.room() >= refillAt) {
            ring.skipCompleted();
            if (isDry()) {
                rare.addRanDry();
            }
            doorbells += refill();
        }
        if (doorbells != 0) {
            counters.add(DOORBELLS, doorbells);
        }
    }

    /** Whether the device has used every buffer it was given: it has completed the last, whose turn is yet to come here. */
    private boolean isDry() {
        int posted = ring.inFlight();
        return posted == 0 || completions.isReady(posted - 1);
    }

    /** The device has none because the user had them all; now that he has given some back, nothing that comes would. */
    private void revive() {
        if (ring.inFlight() == 0 && works && buffers.available() > 0) {
            counters.add(DOORBELLS, refill());
        }
    }

    /** Gives the device buffers for all free slots; returns how many doorbells it rang. */
    private int refill() {
        int wanted = ring.room();
        int blocks = Math.min(wanted, buffers.available());
        if (blocks != wanted) {
            counters.add(NO_ROOM, 1);
        }
        ring.push(buffers, poolIova, blocks);
        return ring.commit() == 0 ? 0 : 1;
    }

    /**
     * Flags of what a completion says of its packet: a hash only with its type, which tells whether ports went into it.
     */
    private static int said(long hash) {
        int type = (int) (hash >>> 8 * (COMPLETION_RX_HASH_TYPE - COMPLETION_RX_HASH));
        return PacketBatch.HAS_CHECKSUM | ((type & HASH_TYPES) != 0 ? PacketBatch.HAS_HASH : 0)
                | ((type & (HASH_TYPE_TCP | HASH_TYPE_UDP)) != 0 ? PacketBatch.TRANSPORT : 0);
    }

    @Override
    public boolean await(long timeoutNanos) {
        ring.requireHealthy();
        revive();
        return completions.await(events, timeoutNanos);
    }
}
