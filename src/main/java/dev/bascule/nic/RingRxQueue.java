package dev.bascule.nic;

import static dev.bascule.nic.QueueCounters.*;

import dev.bascule.device.Interrupt;
import dev.bascule.memory.BufferPool;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Receive queue of a {@link RingNic}. */
final class RingRxQueue implements RxQueue {
    private static final long NAP_NANOS = 50_000;

    private final RingEnd end;
    private final int headerBytes;
    private final int mostBytes;
    private final LongSupplier clock;
    /** Times the card was found to have used every buffer it was given: what came then waited or was lost. */
    private final AtomicLong ranDry = new AtomicLong();
    private @Nullable Interrupt interrupt;
    private volatile int longestFrame = Integer.MAX_VALUE;
    private volatile boolean works;

    /** @param headerBytes what the card writes in front of a frame */
    RingRxQueue(RingEnd end, int headerBytes, LongSupplier clock) {
        this.end = end;
        this.headerBytes = headerBytes;
        this.mostBytes = end.buffers.bufferBytes() - headerBytes;
        this.clock = clock;
    }

    @Override
    public int index() {
        return 0;
    }

    /** Any thread. */
    long ranDry() {
        return ranDry.getOpaque();
    }

    /** Longer frames are dropped from now on, and counted as errors. */
    void setLongestFrame(int lengthBytes) {
        longestFrame = lengthBytes;
    }

    /** Gives the card, which works, its buffers. */
    void start(@Nullable Interrupt vector) {
        interrupt = vector;
        refill();
        works = true;
    }

    /** Takes back what the card holds; it is stopped. */
    void stop() {
        works = false;
        interrupt = null;
        end.clear();
    }

    private void refill() {
        int before = end.heldCount();
        while (end.hasRoom()) {
            int buffer = end.buffers.take();
            if (buffer == BufferPool.NONE) {
                end.counters.add(NO_ROOM, 1);
                break;
            }
            end.give(buffer, end.buffers.offset(buffer), end.buffers.bufferBytes());
        }
        if (end.heldCount() > before) {
            end.tell();
        }
    }

    /** The card has none because the user had them all; now that he has given some back, nothing that comes would. */
    private void revive() {
        if (works && end.heldCount() == 0 && end.buffers.available() > 0) {
            refill();
        }
    }

    @Override
    public int poll(PacketBatch batch) {
        end.requireHealthy();
        int done = end.done();
        int ready = Math.min(done, batch.room());
        if (ready == 0) {
            revive();
            return 0;
        }
        PacketWriter.open(batch, end.pool);
        if (done == end.heldCount()) {
            ranDry.setOpaque(ranDry.getOpaque() + 1);
        }
        int before = batch.size();
        int longest = longestFrame;
        long bytes = 0;
        for (int i = 0; i < ready; i++) {
            bytes += take(batch, longest);
        }
        end.counters.addBurst(batch.size() - before, bytes);
        refill();
        return batch.size() - before;
    }

    private int take(PacketBatch batch, int longest) {
        int lengthBytes = end.lengthBytes();
        long timestampNanos = end.timestampNanos();
        int buffer = end.take(lengthBytes, mostBytes);
        if (lengthBytes <= 0 || lengthBytes > longest) {
            end.counters.add(ERRORS, 1);
            end.buffers.give(buffer);
            return 0;
        }
        PacketWriter.add(batch, buffer, end.buffers.offset(buffer) + headerBytes, lengthBytes, 0);
        if (timestampNanos != PacketBatch.NO_TIMESTAMP) {
            PacketWriter.describe(batch, batch.size() - 1, 0, 0, timestampNanos);
        }
        return lengthBytes;
    }

    @Override
    public boolean await(long timeoutNanos) {
        Interrupt vector = interrupt;
        long deadline = clock.getAsLong() + timeoutNanos;
        revive();
        while (end.done() == 0) {
            long rest = deadline - clock.getAsLong();
            if (rest <= 0) {
                return false;
            }
            if (vector == null) {
                LockSupport.parkNanos(Math.min(rest, NAP_NANOS));
            } else {
                end.sleep(vector, rest);
            }
        }
        return true;
    }
}
