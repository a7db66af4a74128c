package dev.bascule.bench;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.SlotRing;
import dev.bascule.ring.SlotRingConsumer;
import dev.bascule.ring.SlotRingProducer;

/** A {@link SlotRing} with a thread at each end: message {@code n} carries n + 1 ... n + 7. */
final class RingSides {
    private final SlotRingProducer producer;
    private final SlotRingConsumer consumer;
    private final int batch;
    private final int pauses;

    RingSides(int capacity, int batch, int pauses) {
        this(PinnedMemory.allocate(SlotRing.sizeBytes(capacity)), capacity, batch, pauses);
    }

    RingSides(PinnedMemory memory, int capacity, int batch, int pauses) {
        this.producer = SlotRing.producer(memory, capacity);
        this.consumer = SlotRing.consumer(memory, capacity);
        this.batch = batch;
        this.pauses = pauses;
    }

    /** Producer's side, message by message or in batches. */
    Side sender() {
        return batch == 1 ? this::postEach : this::writeAndCommit;
    }

    /** Consumer's side. */
    Side receiver() {
        return this::receive;
    }

    private long postEach(long start, long count) {
        SlotRingProducer to = producer;
        for (long n = start; n < start + count; n++) {
            while (to.free(1) == 0) {
                pause();
            }
            to.post(n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7);
        }
        return checksum(start, count);
    }

    private long writeAndCommit(long start, long count) {
        SlotRingProducer to = producer;
        long end = start + count;
        for (long n = start; n < end;) {
            int size = (int) Math.min(batch, end - n);
            while (to.free(size) < size) {
                pause();
            }
            for (int i = 0; i < size; i++, n++) {
                to.write(i, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7);
            }
            to.commit(size);
        }
        return checksum(start, count);
    }

    private long receive(long start, long count) {
        SlotRingConsumer from = consumer;
        long sum = 0;
        long end = start + count;
        for (long n = start; n < end;) {
            int found = from.peek((int) Math.min(batch, end - n));
            if (found == 0) {
                pause();
                continue;
            }
            for (int i = 0; i < found; i++) {
                sum += from.word(i, 0) + from.word(i, 1) + from.word(i, 2) + from.word(i, 3) + from.word(i, 4)
                        + from.word(i, 5) + from.word(i, 6);
            }
            from.consume(found);
            n += found;
        }
        from.peek(1);
        return sum;
    }

    /** Sum of all words of messages {@code start} to {@code start + count - 1}. */
    static long checksum(long start, long count) {
        return 7 * (count * start + count * (count - 1) / 2) + 28 * count;
    }

    private void pause() {
        for (int i = 0; i < pauses; i++) {
            Thread.onSpinWait();
        }
    }
}
