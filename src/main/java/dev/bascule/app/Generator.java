package dev.bascule.app;

import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.Refusal;
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
    /** Sent, or refused since the limit of the port fell meanwhile. */
    private long offered;
    private long sent;
    private long bytes;

    /**
     * @param frames sent in turn; an {@link IllegalArgumentException} if one is such that the queue refuses it
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
            Refusal reason = queue.refusal(frame, 0, (int) frame.byteSize());
            if (reason != null) {
                throw new IllegalArgumentException("a frame of " + frame.byteSize() + " bytes cannot be sent: "
                        + reason.text());
            }
        }
    }

    /** Sends the packets that are due and fit; returns how many. */
    public int run() {
        long now = clock.nanoTime();
        int wanted = pace.due(now - startNanos, offered, (int) Math.min(batch.capacity(), limit - offered));
        if (wanted == 0) {
            queue.reclaim();
            return 0;
        }
        int count = queue.allocate(batch, wanted);
        for (int i = 0; i < count; i++) {
            MemorySegment frame = frame(i);
            MemorySegment.copy(frame, 0, batch.memory().segment(), batch.offset(i), frame.byteSize());
            batch.setLength(i, (int) frame.byteSize());
            if (stamped) {
                Probe.stamp(batch.memory().segment(), batch.offset(i), offered + i, now);
            }
        }
        int written = queue.write(batch);
        int done = count - batch.packets(); // what found no room, its turn comes again
        batch.release();
        queue.commit();
        for (int i = 0; i < done; i++) {
            MemorySegment frame = frame(i);
            bytes += written == done || queue.refusal(frame, 0, (int) frame.byteSize()) == null ? frame.byteSize() : 0;
        }
        offered += done;
        sent += written;
        return written;
    }

    private MemorySegment frame(int i) {
        return frames[(int) ((offered + i) % frames.length)];
    }

    /** Restarts the pace's clock, before the first packet: what was due until now is not sent late. */
    public void restart() {
        startNanos = clock.nanoTime();
    }

    /** Whether the limit is reached. */
    public boolean isDone() {
        return offered >= limit;
    }

    /** Packets that the queue refused; {@link TxQueue#refused} says why. */
    public long refused() {
        return offered - sent;
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
