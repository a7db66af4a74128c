package dev.bascule.app;

import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.RxQueue;
import dev.bascule.ring.Clock;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;

/** Takes packets and counts them; from {@link Probe}s it learns what was lost or came late. One thread. */
public final class Receiver {
    private final RxQueue queue;
    private final PacketBatch batch;
    private final Clock clock;
    private final LongConsumer latencyNanos;
    private long received;
    private long bytes;
    private final long[] expected = new long[Probe.MOST_FLOWS];
    private long outOfOrder;

    /** @param latencyNanos gets the time between sending and receiving of each probe */
    public Receiver(RxQueue queue, int burst, Clock clock, LongConsumer latencyNanos) {
        this.queue = queue;
        this.batch = new PacketBatch(burst);
        this.clock = clock;
        this.latencyNanos = latencyNanos;
    }

    /** Polls once; returns how many packets came. */
    public int run() {
        int count = queue.poll(batch);
        if (count == 0) {
            return 0;
        }
        long now = clock.nanoTime();
        MemorySegment memory = batch.memory().segment();
        for (int i = 0; i < batch.size(); i = batch.next(i)) {
            long at = batch.offset(i);
            bytes += batch.packetLength(i);
            if (Probe.isProbe(memory, at, batch.length(i))) {
                long number = Probe.number(memory, at);
                int flow = Probe.flow(memory, at);
                outOfOrder += number < expected[flow] ? 1 : 0;
                expected[flow] = Math.max(expected[flow], number + 1);
                latencyNanos.accept(Probe.ageNanos(memory, at, now));
            }
        }
        batch.release();
        received += count;
        return count;
    }

    /** Packets received. */
    public long received() {
        return received;
    }

    /** Their bytes. */
    public long bytes() {
        return bytes;
    }

    /** Probes that came after one of their flow with a higher number. */
    public long outOfOrder() {
        return outOfOrder;
    }
}
