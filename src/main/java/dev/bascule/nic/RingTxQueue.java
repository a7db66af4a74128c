package dev.bascule.nic;

import static dev.bascule.nic.QueueCounters.*;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Transmit queue of a {@link RingNic}. Packets of memory that is no {@link PacketPool}, and those in pieces, are
 * copied; checksums are worked out here.
 */
final class RingTxQueue implements TxQueue {
    private static final int SHORTEST_FRAME = 14;

    private final RingEnd end;
    private final Refusals refused = new Refusals();
    private int uncommitted;
    private long reported;
    private @Nullable SentListener listener;
    private volatile int longestFrame;

    RingTxQueue(RingEnd end) {
        this.end = end;
    }

    @Override
    public int index() {
        return 0;
    }

    @Override
    public int bufferBytes() {
        return end.buffers.bufferBytes();
    }

    void setLongestFrame(int lengthBytes) {
        longestFrame = lengthBytes;
    }

    /** Takes back what the card holds, and what it was not told of; it is stopped. */
    void stop() {
        uncommitted = 0;
        reported += end.heldCount(); // they were written, and nobody will report them
        end.clear();
    }

    @Override
    public int allocate(PacketBatch batch, int count) {
        if (end.buffers.available() < count) {
            reclaim();
        }
        return end.pool.take(batch, count);
    }

    @Override
    public int write(PacketBatch batch) {
        end.requireHealthy();
        int packets = 0;
        long bytes = 0;
        int i = 0;
        int longest = longestFrame;
        while (i < batch.size()) {
            int next = batch.next(i);
            int lengthBytes = batch.packetLength(i);
            Refusal reason = Refusal.ofLength(lengthBytes, SHORTEST_FRAME, longest);
            if (lengthBytes == 0 || reason != null) {
                refused.drop(batch, i, next, lengthBytes == 0 ? null : reason);
            } else if (put(batch, i, next, lengthBytes)) {
                packets++;
                bytes += lengthBytes;
            } else {
                end.counters.add(NO_ROOM, 1);
                break;
            }
            i = next;
        }
        PacketWriter.removeFirst(batch, i);
        uncommitted += packets;
        end.counters.addBurst(packets, bytes);
        return packets;
    }

    @Override
    public @Nullable Refusal refusal(MemorySegment memory, long offset, int lengthBytes) {
        return Refusal.ofLength(lengthBytes, SHORTEST_FRAME, longestFrame);
    }

    @Override
    public Refusals refused() {
        return refused;
    }

    private boolean put(PacketBatch batch, int i, int next, int lengthBytes) {
        boolean copied = next != i + 1 || !end.owners.select(batch.memory());
        if (!end.hasRoom() && reclaim() == 0 || copied && end.buffers.available() == 0 && reclaim() == 0) {
            return false;
        }
        if ((batch.flags(i) & PacketBatch.INSERT_CHECKSUM) != 0) {
            PacketWriter.insertChecksum(batch, i); // there is room for the packet, so this happens once
        }
        if (!copied) {
            end.giveOwned(end.owners.slot((int) batch.token(i)), end.owners.iova(batch.offset(i), lengthBytes),
                    lengthBytes);
            return true;
        }
        int buffer = end.buffers.take();
        long offset = end.buffers.offset(buffer);
        batch.copyPacket(i, end.pool.segment(), offset);
        end.give(buffer, offset, lengthBytes);
        batch.memory().release(batch, i, next);
        return true;
    }

    @Override
    public int commit() {
        int packets = uncommitted;
        uncommitted = 0;
        if (packets > 0) {
            end.tell();
        }
        return packets;
    }

    @Override
    public int reclaim() {
        int done = end.done();
        for (int i = 0; i < done; i++) {
            int lengthBytes = end.lengthBytes();
            long timestampNanos = listener == null ? PacketBatch.NO_TIMESTAMP : end.timestampNanos();
            end.owners.give(end.take(lengthBytes, bufferBytes()));
            if (lengthBytes <= 0) {
                end.counters.add(ERRORS, 1);
            }
            if (listener != null) {
                listener.sent(reported, timestampNanos);
            }
            reported++;
        }
        return done;
    }

    @Override
    public int inFlight() {
        return end.heldCount();
    }

    @Override
    public void onSent(@Nullable SentListener newListener) {
        listener = newListener;
    }
}
