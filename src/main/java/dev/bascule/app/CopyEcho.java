package dev.bascule.app;

import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketFormat;
import dev.bascule.nic.RxPipe;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxPipe;
import dev.bascule.nic.TxQueue;
import java.lang.foreign.MemorySegment;

/**
 * Echoes packets from a copy of the memory they arrived in: a pipe's batch is one copy, packets are copied one by one.
 * What does not fit into the transmit side waits in the receive side. One thread.
 */
public final class CopyEcho {
    private static final int BURST = 64;

    private final PacketBatch in = new PacketBatch(BURST);
    private final PacketBatch out = new PacketBatch(BURST);
    private long bytes;

    /** Idle. */
    public CopyEcho() {}

    /** One round on pipes; returns the bytes sent back. */
    public long run(RxPipe from, TxPipe to) {
        long arrived = from.peek();
        long room = to.available();
        long count = arrived <= room ? arrived : wholePackets(from, arrived, room);
        if (count == 0) {
            return 0;
        }
        MemorySegment.copy(from.memory(), from.offset(), to.memory(), to.offset(), count);
        long sent = to.send(count);
        from.confirm(sent);
        from.free(sent);
        bytes += sent;
        return sent;
    }

    /** Bytes of the packets that fit, so that none is cut. */
    private static long wholePackets(RxPipe from, long arrived, long room) {
        long count = 0;
        while (true) {
            int length = PacketFormat.packetBytes(from.memory(), from.offset() + count, arrived - count);
            if (length < 0 || count + PacketFormat.padded(length) > room) {
                return count;
            }
            count += PacketFormat.padded(length);
        }
    }

    /** One round on packet queues; returns the bytes sent back. */
    public long run(RxQueue from, TxQueue to) {
        if (in.isEmpty() && from.poll(in) == 0) {
            to.reclaim();
            return 0;
        }
        int count = Math.min(in.size(), out.isEmpty() ? to.allocate(out, in.size()) : 0);
        long before = bytes;
        for (int i = 0; i < count; i++) {
            int length = in.length(i);
            MemorySegment.copy(in.memory().segment(), in.offset(i), out.memory().segment(), out.offset(i), length);
            out.setLength(i, length);
            bytes += length;
        }
        to.write(out);
        to.commit();
        in.release(count);
        return bytes - before;
    }

    /** Bytes sent back so far; on pipes with the padding between packets. */
    public long bytes() {
        return bytes;
    }
}
