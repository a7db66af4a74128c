package dev.bascule.app;

import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.TxQueue;
import dev.bascule.ring.Clock;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Sends frames over and over, at a pace or as fast as the port takes them. One thread; allocates nothing per packet. */
public final class Generator {
    private final TxQueue queue;
    private final MemorySegment[] frames;
    private final Pace pace;
    private final long limit;
    private final boolean stamped;
    private final PacketBatch batch;
    private final Clock clock;
    private long startNanos;
    private long sent;
    private long bytes;

    /**
     * @param frames sent in turn, each at most one buffer long
     * @param pace when they are due
     * @param limit packets after which it stops by itself, 0 for none
     * @param stamped whether number and time are written into each, see {@link Probe}
     */
    public Generator(TxQueue queue, List<byte[]> frames, Pace pace, long limit, boolean stamped, int burst,
            Clock clock) {
        this.queue = queue;
        this.frames = frames.stream().map(MemorySegment::ofArray).toArray(MemorySegment[]::new);
        this.pace = pace;
        this.limit = limit == 0 ? Long.MAX_VALUE : limit;
        this.stamped = stamped;
        this.batch = new PacketBatch(burst);
        this.clock = clock;
        this.startNanos = clock.nanoTime();
        for (MemorySegment frame : this.frames) {
            if (frame.byteSize() > queue.bufferBytes()) {
                throw new IllegalArgumentException(
                        "a frame of " + frame.byteSize() + " bytes does not fit into a buffer"
                                + " of " + queue.bufferBytes());
            }
        }
    }

    /** Sends the packets that are due and fit; returns how many. */
    public int run() {
        long now = clock.nanoTime();
        int wanted = pace.due(now - startNanos, sent, (int) Math.min(batch.capacity(), limit - sent));
        if (wanted == 0) {
            queue.reclaim();
            return 0;
        }
        int count = queue.allocate(batch, wanted);
        for (int i = 0; i < count; i++) {
            MemorySegment frame = frames[(int) ((sent + i) % frames.length)];
            MemorySegment.copy(frame, 0, batch.memory().segment(), batch.offset(i), frame.byteSize());
            batch.setLength(i, (int) frame.byteSize());
            if (stamped) {
                Probe.stamp(batch.memory().segment(), batch.offset(i), sent + i, now);
            }
            bytes += frame.byteSize();
        }
        int written = queue.write(batch);
        for (int i = 0; i < batch.size(); i++) {
            bytes -= batch.length(i); // found no room; its turn comes again
        }
        batch.release();
        queue.commit();
        sent += written;
        return written;
    }

    /** Restarts the pace's clock, before the first packet: what was due until now is not sent late. */
    public void restart() {
        startNanos = clock.nanoTime();
    }

    /** Whether the limit is reached. */
    public boolean isDone() {
        return sent >= limit;
    }

    /** Packets sent. */
    public long sent() {
        return sent;
    }

    /** Their bytes. */
    public long bytes() {
        return bytes;
    }
}
