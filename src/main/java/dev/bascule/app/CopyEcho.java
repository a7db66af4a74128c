package dev.bascule.app;

import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketFormat;
import dev.bascule.nic.RxPipe;
import dev.bascule.nic.RxQueue;
import dev.bascule.nic.TxPipe;
import dev.bascule.nic.TxQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Echoes packets from a copy of the memory they arrived in: a pipe's batch is one copy, packets are copied one by one, in
 * pieces where a buffer is too short.
 * What does not fit into the transmit side waits in the receive side. On pipes, what is no packet and what the device would
 * cut at another length is dropped and counted, as in {@link dev.bascule.nic.PipeLoop}. One thread; no allocation.
 */
public final class CopyEcho {
    private static final int BURST = 64;

    private final PacketBatch in = new PacketBatch(BURST);
    private final PacketBatch out = new PacketBatch(BURST);
    private MemorySegment whole = MemorySegment.NULL;
    private long good;
    private long goodPackets;
    private boolean isAtBad;
    private long bytes;
    private long packets;
    private long unsendable;
    private long malformed;

    /** Idle. */
    public CopyEcho() {}

    /** One round on pipes; returns the packets it took. */
    public int run(RxPipe from, TxPipe to) {
        long arrived = from.peek();
        long count = Math.min(arrived, to.available());
        if (count == 0) {
            return 0;
        }
        MemorySegment.copy(from.memory(), from.offset(), to.memory(), to.offset(), count);
        walk(to, count, count == arrived);
        long before = packets;
        if (good > 0) {
            long sent = to.send(good);
            bytes += sent;
            packets += sent == good ? goodPackets : packetsIn(from, sent);
            from.confirm(sent);
            from.free(sent);
            if (sent < good) {
                return (int) (packets - before);
            }
        }
        if (isAtBad) {
            drop(from);
        }
        return (int) (packets - before);
    }

    /** How far the copy holds packets that the device would send as they are, and whether it goes on with something else. */
    private void walk(TxPipe to, long count, boolean isAll) {
        MemorySegment memory = to.memory();
        long start = to.offset();
        good = 0;
        goodPackets = 0;
        isAtBad = false;
        while (good < count) {
            long at = start + good;
            int length = PacketFormat.packetBytes(memory, at, count - good);
            if (length >= 0 && good + PacketFormat.padded(length) > count && !isAll) {
                return; // the rest waits for room
            }
            long next = PacketFormat.next(memory, at, length, start + count);
            if (next < 0 || !to.isSendable(at, length)) {
                isAtBad = true;
                return;
            }
            good = next - start;
            goodPackets++;
        }
    }

    private static long packetsIn(RxPipe from, long sent) {
        long count = 0;
        for (long at = 0; at < sent; count++) {
            at += PacketFormat.padded(PacketFormat.packetBytes(from.memory(), from.offset() + at, sent - at));
        }
        return count;
    }

    /** Drops the packet, or what is none, that stands next in the pipe. */
    private void drop(RxPipe from) {
        long at = from.offset();
        long left = from.peek();
        int length = PacketFormat.packetBytes(from.memory(), at, left);
        long next = PacketFormat.next(from.memory(), at, length, at + left);
        if (next >= 0) {
            unsendable++;
            packets++;
        } else {
            malformed++;
            next = ~next;
        }
        long bad = next - at;
        from.confirm(bad);
        from.free(bad);
    }

    /** One round on packet queues; returns the packets taken. What the transmit side refuses, it counts. */
    public int run(RxQueue from, TxQueue to) {
        if (!out.isEmpty()) {
            to.write(out);
            to.commit();
        }
        if (!out.isEmpty() || in.isEmpty() && from.poll(in) == 0) {
            to.reclaim();
            return 0;
        }
        int i = 0;
        int count = 0;
        while (i < in.size() && copy(i, to)) {
            i = in.next(i);
            count++;
        }
        to.write(out);
        to.commit();
        in.release(i);
        packets += count;
        return count;
    }

    /** One packet into as many buffers as it takes; false if there are too few now. */
    private boolean copy(int i, TxQueue to) {
        int length = in.packetLength(i);
        int bufferBytes = to.bufferBytes();
        int pieces = (length + bufferBytes - 1) / bufferBytes;
        if (pieces > BURST) {
            unsendable++;
            return true;
        }
        int first = out.size();
        int got = pieces > out.room() ? 0 : to.allocate(out, pieces);
        for (int piece = first; piece < out.size(); piece++) {
            int part = got < pieces ? 0 : Math.min(bufferBytes, length - (piece - first) * bufferBytes);
            out.setLength(piece, part); // of length 0: given back by write
            out.setMore(piece, piece + 1 < first + pieces);
        }
        if (got < pieces) {
            return false;
        }
        fill(i, first, length);
        bytes += length;
        return true;
    }

    private void fill(int i, int first, int length) {
        if (!out.hasMore(first)) {
            in.copyPacket(i, out.memory().segment(), out.offset(first));
            return;
        }
        if (whole.byteSize() < length) {
            whole = Arena.ofAuto().allocate(length, Long.BYTES);
        }
        in.copyPacket(i, whole, 0);
        out.replacePacket(first, whole, 0, length);
    }

    /** Bytes copied so far; on pipes with the padding between packets. */
    public long bytes() {
        return bytes;
    }

    /** Packets taken so far: sent back, {@link #unsendable}, or refused by a {@link TxQueue}. */
    public long packets() {
        return packets;
    }

    /** Packets dropped because a device of pipes would have cut them at another length, or no burst holds them. */
    public long unsendable() {
        return unsendable;
    }

    /** Times that bytes were no packet, and dropped up to the next one or the batch's end. */
    public long malformed() {
        return malformed;
    }
}
