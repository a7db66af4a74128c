package dev.bascule.app;

import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.RxQueue;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes every packet to a capture file, with the time at which the card saw it. One thread. */
public final class Recorder {
    private final RxQueue queue;
    private final CaptureWriter writer;
    private final CardTimes times;
    private final PacketBatch batch;
    private long packets;
    private long bytes;
    private long unstamped;

    /** @param times what the card's times are on this machine */
    public Recorder(RxQueue queue, CaptureWriter writer, CardTimes times, int burst) {
        this.queue = queue;
        this.writer = writer;
        this.times = times;
        this.batch = new PacketBatch(burst);
    }

    /** Polls once; returns how many packets came. {@link UncheckedIOException} if the file cannot take them. */
    public int run() {
        int count = queue.poll(batch);
        try {
            for (int i = 0; i < batch.size(); i = batch.next(i)) {
                record(i);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        } finally {
            batch.release();
        }
        return count;
    }

    private void record(int first) throws IOException {
        int length = batch.packetLength(first);
        int end = batch.next(first);
        writer.begin(time(batch.timestampNanos(first)), 0, length);
        for (int i = first; i < end; i++) {
            writer.append(batch.memory().segment(), batch.offset(i), batch.length(i));
        }
        writer.end();
        packets++;
        bytes += length;
    }

    private long time(long cardNanos) {
        if (cardNanos != PacketBatch.NO_TIMESTAMP) {
            return times.machineNanos(cardNanos);
        }
        unstamped++;
        return System.currentTimeMillis() * 1_000_000L;
    }

    /** Packets written. */
    public long packets() {
        return packets;
    }

    /** Their bytes. */
    public long bytes() {
        return bytes;
    }

    /** Packets without a time of the card, which got this machine's. */
    public long unstamped() {
        return unstamped;
    }
}
