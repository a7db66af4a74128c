package dev.bascule.nic;

import java.lang.foreign.MemorySegment;

/**
 * Passes the packets of a pipe through a {@link PacketProcessor} and sends them back from where they lie: the same
 * processors as {@link ProcessorLoop}, on a stream. Neighbouring packets leave as one request; a packet that is dropped
 * or has become shorter by a quantum ends a request. Packets for which the device has no room are dropped and counted,
 * and so are those that it would cut at another length (on Ensō what is not IPv4 without tag), and what is no packet, up
 * to the next header ({@link PacketFormat#nextHeader}).
 * <p>
 * A processor must not make a packet longer than the padding behind it, and must keep what the device cuts packets by
 * (on Ensō the IPv4 total length) in step with the length it returns.
 * <p>
 * Thread rule: the thread of the pipe. No allocation.
 */
public final class PipeLoop {
    private static final long QUANTUM = RxPipe.QUANTUM_BYTES;

    private final RxTxPipe pipe;
    private final PacketProcessor processor;
    private final long burstBytes;
    private long unsent;
    private long gap;
    private long processed;
    private long dropped;
    private long noRoom;
    private long malformed;
    private long unsendable;

    /** @param burstBytes about how many bytes are taken per {@link #run}; rounded up to whole packets */
    public PipeLoop(RxTxPipe pipe, PacketProcessor processor, long burstBytes) {
        this.pipe = pipe;
        this.processor = processor;
        this.burstBytes = burstBytes;
    }

    /** One round; returns how many packets came, 0 when idle. */
    public int run() {
        RxTxPipe in = pipe;
        long available = in.peek();
        if (available == 0) {
            return 0;
        }
        MemorySegment memory = in.memory();
        long start = in.offset();
        long end = start + available;
        long limit = start + Math.min(available, burstBytes);
        long at = start;
        unsent = start;
        int packets = 0;
        while (at < limit) {
            int small = smallPackets(memory, at, Math.min(limit + QUANTUM - 1, end));
            packets += small;
            at += small * QUANTUM;
            if (at >= limit) {
                break;
            }
            int length = PacketFormat.packetBytes(memory, at, end - at);
            long next = PacketFormat.next(memory, at, length, end);
            if (next < 0) {
                malformed++;
                skip(at, ~next);
                at = ~next;
                continue;
            }
            processed(at, next, sendable(at, processor.process(memory, at, length)));
            packets++;
            at = next;
        }
        leave(at - unsent);
        processed += packets;
        return packets;
    }

    /**
     * Processes IPv4 packets of one quantum from {@code from} on, up to another or the last that ends at {@code end};
     * says how many. OVERHEAD: walking by lengths is a chain of loads that the CPU cannot overlap, and a loop that the
     * compiler cannot unroll; taking the next packet for a small one until it proves not to be, echo of 64-byte packets
     * costs 2.6 instead of 6.1 ns per packet.
     */
    private int smallPackets(MemorySegment memory, long from, long end) {
        int most = (int) ((end - from) / QUANTUM);
        for (int i = 0; i < most; i++) {
            long at = from + i * QUANTUM;
            int length = PacketFormat.ipv4Bytes(memory, at);
            if (length < 0 || length > QUANTUM) {
                return i;
            }
            int out = processor.process(memory, at, length);
            if (out <= 0 || out > QUANTUM) {
                processed(at, at + QUANTUM, out);
            }
        }
        return most;
    }

    private int sendable(long at, int out) {
        if (out <= 0 || pipe.isSendable(at, out)) {
            return out;
        }
        unsendable++;
        return 0;
    }

    /** The packet from {@code at} to {@code next} is to leave with {@code out} bytes. */
    private void processed(long at, long next, int out) {
        long kept = out > 0 ? at + PacketFormat.padded(out) : at;
        if (kept != next) {
            dropped += out > 0 ? 0 : 1;
            skip(kept, next);
        }
    }

    /**
     * Sends what is before {@code from}; what is from there to {@code next} is dropped. OVERHEAD: neighbours that are
     * dropped are given back together, since each time costs a store to the device: 64 of them, and the device's answers,
     * were half of what an application took that only listens.
     */
    private void skip(long from, long next) {
        if (next < from) {
            throw new IllegalStateException("a processor made a packet longer than the room it has in its pipe");
        }
        if (from > unsent) {
            leave(from - unsent);
        }
        gap += next - from;
        unsent = next;
    }

    /** Drops the gap and sends the next {@code run} bytes behind it. */
    private void leave(long run) {
        if (gap > 0) {
            pipe.confirm(gap);
            pipe.free(gap);
            gap = 0;
        }
        if (run > 0) {
            long start = pipe.offset();
            pipe.confirm(run);
            long sent = pipe.sendAndFree(run);
            if (sent < run) {
                noRoom += packets(start + sent, run - sent);
                pipe.free(run - sent);
            }
        }
    }

    private long packets(long from, long lengthBytes) {
        long count = 0;
        for (long at = 0; at < lengthBytes; count++) {
            at += PacketFormat.padded(PacketFormat.packetBytes(pipe.memory(), from + at, lengthBytes - at));
        }
        return count;
    }

    /** Packets seen. */
    public long processed() {
        return processed;
    }

    /** Packets that the processor dropped. */
    public long dropped() {
        return dropped;
    }

    /** Packets dropped for want of room for requests. */
    public long noRoom() {
        return noRoom;
    }

    /** Packets among {@link #dropped} that the device would not have sent as they are. */
    public long unsendable() {
        return unsendable;
    }

    /** Times that bytes were no packet, and dropped up to the next one or the batch's end. */
    public long malformed() {
        return malformed;
    }
}
