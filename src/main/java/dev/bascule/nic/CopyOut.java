package dev.bascule.nic;

import java.lang.foreign.MemorySegment;

/** Cuts a stream into packets and copies each to a buffer of a transmit queue. */
final class CopyOut {
    private static final int BURST = 64;

    private final PacketPipes group;
    private final TxQueue queue;
    private final PacketBatch batch = new PacketBatch(BURST);
    private final long[] starts = new long[BURST];

    CopyOut(PacketPipes group, TxQueue queue) {
        this.group = group;
        this.queue = queue;
    }

    /** Sends whole packets; returns the bytes passed. What is no packet is passed over unsent. */
    long send(MemorySegment memory, long offset, long lengthBytes) {
        long done = 0;
        while (done < lengthBytes) {
            long stepped = burst(memory, offset + done, lengthBytes - done);
            if (stepped == 0 && queue.commit() + queue.reclaim() == 0) {
                break;
            }
            done += stepped;
        }
        queue.commit();
        return done;
    }

    private long burst(MemorySegment memory, long offset, long lengthBytes) {
        int got = queue.allocate(batch, BURST);
        long end = offset + lengthBytes;
        long done = 0;
        int filled = 0;
        while (filled < got && done < lengthBytes) {
            int length = PacketFormat.packetBytes(memory, offset + done, lengthBytes - done);
            long next = PacketFormat.next(memory, offset + done, length, end);
            if (next < 0 || length > queue.bufferBytes()) {
                if (filled == 0) { // else once those before it are gone
                    group.unsent(next >= 0);
                    done = (next < 0 ? ~next : next) - offset;
                }
                break;
            }
            MemorySegment.copy(memory, offset + done, batch.memory().segment(), batch.offset(filled), length);
            batch.setLength(filled, length);
            group.copied(length);
            starts[filled++] = done;
            done = next - offset;
        }
        return write(got, filled, done);
    }

    private long write(int got, int filled, long done) {
        for (int i = filled; i < got; i++) {
            batch.setLength(i, 0); // given back by write
        }
        queue.write(batch);
        int left = 0;
        while (left < batch.size() && batch.length(left) != 0) {
            left++;
        }
        batch.release();
        return left == 0 ? done : starts[filled - left];
    }
}
