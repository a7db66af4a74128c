package dev.bascule.nic;

import java.lang.foreign.MemorySegment;

/** Cuts a stream into packets and copies each to a buffer of a transmit queue. */
final class CopyOut {
    private static final int BURST = 64;

    private final PacketPipes group;
    private final TxQueue queue;
    private final PacketBatch batch = new PacketBatch(BURST);
    private final long[] ends = new long[BURST];

    CopyOut(PacketPipes group, TxQueue queue) {
        this.group = group;
        this.queue = queue;
    }

    /** Sends whole packets; returns the bytes passed. What is no packet is passed over unsent. */
    long send(MemorySegment memory, long offset, long lengthBytes) {
        long done = 0;
        while (done < lengthBytes) {
            long stepped = burst(memory, offset + done, lengthBytes - done);
            if (stepped == 0) {
                break;
            }
            done += stepped;
        }
        if (done > 0) {
            queue.commit();
        }
        return done;
    }

    private long burst(MemorySegment memory, long offset, long lengthBytes) {
        int got = queue.allocate(batch, BURST);
        MemorySegment to = got == 0 ? memory : batch.memory().segment();
        long done = 0;
        int filled = 0;
        while (filled < got && done < lengthBytes) {
            int length = PacketFormat.packetBytes(memory, offset + done, lengthBytes - done);
            long stride = PacketFormat.padded(length);
            if (length < 0 || stride > lengthBytes - done || length > queue.bufferBytes()) {
                done = lengthBytes;
                break;
            }
            MemorySegment.copy(memory, offset + done, to, batch.offset(filled), length);
            batch.setLength(filled, length);
            group.copied(length);
            done += stride;
            ends[filled++] = done;
        }
        for (int i = filled; i < got; i++) {
            batch.setLength(i, 0); // given back by write
        }
        int written = queue.write(batch);
        batch.release();
        return written < filled ? written == 0 ? 0 : ends[written - 1] : done;
    }
}
