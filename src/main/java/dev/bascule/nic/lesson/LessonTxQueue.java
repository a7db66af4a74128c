package dev.bascule.nic.lesson;

import static dev.bascule.nic.QueueCounters.*;

import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketMemory;
import dev.bascule.nic.PacketWriter;
import dev.bascule.nic.Refusal;
import dev.bascule.nic.Refusals;
import dev.bascule.nic.TxQueue;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Transmit queue of a lesson card: one descriptor a frame. Packets of other memory are copied. */
final class LessonTxQueue implements TxQueue {
    private static final int SHORTEST_FRAME = 14;

    private final LessonRing ring;
    private final Refusals refused = new Refusals();
    private final PacketBatch copy = new PacketBatch(1);
    private @Nullable SentListener listener;
    private long reported;
    volatile int longestFrame;

    LessonTxQueue(LessonRing ring) {
        this.ring = ring;
    }

    @Override
    public int index() {
        return 0;
    }

    @Override
    public int bufferBytes() {
        return LessonNic.BUFFER_BYTES;
    }

    @Override
    public int allocate(PacketBatch batch, int count) {
        reclaim();
        return ring.pool.take(batch, count);
    }

    @Override
    public int write(PacketBatch batch) {
        int packets = 0;
        int taken = 0;
        long bytes = 0;
        while (taken < batch.size()) {
            int next = batch.next(taken);
            int lengthBytes = batch.packetLength(taken);
            Refusal reason = next > taken + 1 ? Refusal.TOO_MANY_PIECES : refusal(lengthBytes);
            if (lengthBytes == 0 || reason != null) {
                if (lengthBytes != 0 && reason != null) {
                    refused.add(reason);
                }
                batch.memory().release(batch, taken, next);
            } else if (put(batch, taken)) {
                packets++;
                bytes += lengthBytes;
            } else {
                ring.counters.add(NO_ROOM, 1);
                break;
            }
            taken = next;
        }
        PacketWriter.removeFirst(batch, taken);
        ring.counters.addBurst(packets, bytes);
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

    private boolean put(PacketBatch batch, int i) {
        if (ring.given() == ring.entries && reclaim() == 0) {
            return false;
        }
        PacketMemory from = batch.memory();
        if (from == ring.pool) {
            ring.give((int) PacketWriter.token(batch, i), batch.offset(i), batch.length(i));
            return true;
        }
        if (allocate(copy, 1) == 0) {
            return false;
        }
        MemorySegment.copy(from.segment(), batch.offset(i), ring.pool.segment(), copy.offset(0), batch.length(i));
        ring.give((int) PacketWriter.token(copy, 0), copy.offset(0), batch.length(i));
        PacketWriter.removeFirst(copy, 1);
        from.release(batch, i, i + 1);
        return true;
    }

    @Override
    public int commit() {
        return ring.tell();
    }

    @Override
    public int reclaim() {
        int frames = 0;
        for (; ring.isDone(); frames++) {
            ring.counters.add(ERRORS, ring.lengthBytes() == 0 ? 1 : 0);
            ring.pool.buffers().give(ring.take());
            if (listener != null) {
                listener.sent(reported + frames, PacketBatch.NO_TIMESTAMP);
            }
        }
        reported += frames;
        return frames;
    }

    @Override
    public int inFlight() {
        return ring.given();
    }

    @Override
    public void onSent(@Nullable SentListener newListener) {
        listener = newListener;
    }
}
