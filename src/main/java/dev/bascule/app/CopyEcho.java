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
 * What does not fit into the transmit side waits in the receive side. On pipes, what is no packet and what the device would
 * cut at another length is dropped and counted, as in {@link dev.bascule.nic.PipeLoop}. One thread; no allocation.
 */
public final class CopyEcho {
    private static final int BURST = 64;

    private final PacketBatch in = new PacketBatch(BURST);
    private final PacketBatch out = new PacketBatch(BURST);
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
            drop(from, count - good);
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
            int length = PacketFormat.packetBytes(memory, start + good, count - good);
            boolean isWhole = length >= 0 && good + PacketFormat.padded(length) <= count;
            if (!isWhole && length >= 0 && !isAll) {
                return; // the rest waits for room
            }
            if (!isWhole || !to.isSendable(start + good, length)) {
                isAtBad = true;
                return;
            }
            good += PacketFormat.padded(length);
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
    private void drop(RxPipe from, long left) {
        long at = from.offset();
        int length = PacketFormat.packetBytes(from.memory(), at, left);
        long bad = length < 0 ? left + 1 : PacketFormat.padded(length);
        if (bad <= left) {
            unsendable++;
            packets++;
        } else {
            malformed++;
            bad = PacketFormat.nextHeader(from.memory(), at + RxPipe.QUANTUM_BYTES, at + left) - at;
        }
        from.confirm(bad);
        from.free(bad);
    }

    /** One round on packet queues; returns the packets sent back. */
    public int run(RxQueue from, TxQueue to) {
        if (in.isEmpty() && from.poll(in) == 0) {
            to.reclaim();
            return 0;
        }
        int count = Math.min(in.size(), out.isEmpty() ? to.allocate(out, in.size()) : 0);
        for (int i = 0; i < count; i++) {
            int length = in.length(i);
            MemorySegment.copy(in.memory().segment(), in.offset(i), out.memory().segment(), out.offset(i), length);
            out.setLength(i, length);
            bytes += length;
        }
        to.write(out);
        to.commit();
        in.release(count);
        packets += count;
        return count;
    }

    /** Bytes sent back so far; on pipes with the padding between packets. */
    public long bytes() {
        return bytes;
    }

    /** Packets taken so far: sent back or {@link #unsendable}. */
    public long packets() {
        return packets;
    }

    /** Packets dropped because the device would have cut them at another length. */
    public long unsendable() {
        return unsendable;
    }

    /** Times that bytes were no packet, and dropped up to the next one or the batch's end. */
    public long malformed() {
        return malformed;
    }
}
