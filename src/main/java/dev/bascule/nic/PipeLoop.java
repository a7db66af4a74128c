package dev.bascule.nic;

import java.lang.foreign.MemorySegment;

/**
 * Takes the packets of a pipe through a {@link PacketProcessor} and sends them back from where they are: the same
 * processors as {@link ProcessorLoop}, on a stream. Neighbouring packets leave as one request; a packet that is dropped
 * or has become shorter by a quantum ends a request. Packets for which the device has no room are dropped and counted.
 * <p>
 * A processor must not make a packet longer than the padding behind it, and must keep what the device cuts packets by
 * (on Ensō the IPv4 total length) in step with the length it returns.
 * <p>
 * Thread rule: the thread of the pipe. No allocation.
 */
public final class PipeLoop {
    private final RxTxPipe pipe;
    private final PacketProcessor processor;
    private final long burstBytes;
    private long processed;
    private long dropped;
    private long noRoom;
    private long malformed;

    /** @param burstBytes about how many bytes are taken per {@link #run}; rounded up to whole packets */
    public PipeLoop(RxTxPipe pipe, PacketProcessor processor, long burstBytes) {
        this.pipe = pipe;
        this.processor = processor;
        this.burstBytes = burstBytes;
    }

    /** One round; says how many packets came, 0 when idle. */
    public int run() {
        RxTxPipe in = pipe;
        long available = in.peek();
        if (available == 0) {
            return 0;
        }
        MemorySegment memory = in.memory();
        long at = in.offset();
        long limit = Math.min(available, burstBytes);
        int packets = 0;
        long done = 0;
        long run = 0;
        while (done < limit) {
            int length = PacketFormat.packetBytes(memory, at + done, available - done);
            long stride = PacketFormat.padded(length);
            if (length < 0 || stride > available - done) {
                malformed++;
                leave(run, available - done);
                run = 0;
                break;
            }
            int out = processor.process(memory, at + done, length);
            done += stride;
            packets++;
            long kept = out > 0 ? PacketFormat.padded(out) : 0;
            run += kept;
            if (kept != stride) {
                dropped += out > 0 ? 0 : 1;
                leave(run, stride - kept);
                run = 0;
            }
        }
        leave(run, 0);
        processed += packets;
        return packets;
    }

    /** Sends the next {@code run} bytes and drops {@code gap} bytes behind them. */
    private void leave(long run, long gap) {
        if (run + gap == 0) {
            return;
        }
        if (gap < 0) {
            throw new IllegalStateException("a processor made a packet longer than the room it has in its pipe");
        }
        pipe.confirm(run + gap);
        long sent = run == 0 ? 0 : pipe.sendAndFree(run);
        if (sent < run) {
            noRoom++;
        }
        if (sent < run + gap) {
            pipe.free(run + gap - sent);
        }
    }

    /** Packets seen. */
    public long processed() {
        return processed;
    }

    /** Packets the processor did not want to be sent. */
    public long dropped() {
        return dropped;
    }

    /** Runs of packets of which some were dropped for want of room for requests. */
    public long noRoom() {
        return noRoom;
    }

    /** Batches whose rest was no packet and was dropped. */
    public long malformed() {
        return malformed;
    }
}
