package dev.bascule.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.memory.PinnedMemory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlotRingThreadsTest {
    private static final long MIX = 0x9E3779B97F4A7C15L;

    @ParameterizedTest
    @CsvSource({ "1024, 32, 10_000_000", "2, 1, 100_000", "64, 1, 500_000", "1024, 7, 500_000" })
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void everyMessageArrivesOnceInOrderAndWhole(int capacity, int batch, String countText) throws Exception {
        long count = Long.parseLong(countText.replace("_", ""));
        PinnedMemory memory = PinnedMemory.allocate(SlotRing.sizeBytes(capacity));
        SlotRingProducer producer = SlotRing.producer(memory, capacity);
        CompletableFuture<Long> sum = new CompletableFuture<>();
        Thread sender = Thread.ofPlatform().daemon().start(() -> sum.complete(sendAll(producer, count, batch)));
        long received = receiveAll(SlotRing.consumer(memory, capacity), count, batch);
        sender.join();
        assertThat(received).isEqualTo(sum.get());
        assertThat(producer.faults()).isZero();
        assertThat(producer.free(capacity)).isEqualTo(capacity);
    }

    private static long sendAll(SlotRingProducer producer, long count, int batch) {
        Waiting waiting = new Waiting();
        long sum = 0;
        long n = 0;
        while (n < count) {
            int size = producer.free((int) Math.min(batch, count - n));
            if (size == 0) {
                waiting.pause();
            }
            for (int i = 0; i < size; i++) {
                long a = n * MIX;
                producer.write(i, n, a, a ^ 1, a ^ 2, a ^ 3, a ^ 4, ~n);
                sum = sum * 31 + a;
                n++;
            }
            producer.commit(size);
        }
        return sum;
    }

    private static long receiveAll(SlotRingConsumer consumer, long count, int batch) {
        Waiting waiting = new Waiting();
        long sum = 0;
        long n = 0;
        while (n < count) {
            int found = consumer.peek(batch);
            if (found == 0) {
                waiting.pause();
            }
            for (int i = 0; i < found; i++) {
                long a = n * MIX;
                long wrong = (consumer.word(i, 0) ^ n) | (consumer.word(i, 1) ^ a) | (consumer.word(i, 2) ^ a ^ 1)
                        | (consumer.word(i, 3) ^ a ^ 2) | (consumer.word(i, 4) ^ a ^ 3) | (consumer.word(i, 5) ^ a ^ 4)
                        | (consumer.word(i, 6) ^ ~n);
                if (wrong != 0) {
                    throw new AssertionError("message " + n + " is torn or out of order");
                }
                sum = sum * 31 + a;
                n++;
            }
            consumer.consume(found);
        }
        consumer.peek(1);
        return sum;
    }

    /** Lets the other thread run when the machine is busy. */
    private static final class Waiting {
        private int rounds;

        void pause() {
            if ((++rounds & 255) == 0) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
