package dev.bascule.wave;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.loopback.FaultPlan;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Both ends of a bulk queue at the same time, each in its own thread with its own windows. */
class BulkThreadsTest {
    private static final long SMALL_RING = 4096;

    @ParameterizedTest
    @EnumSource(QueueDirection.class)
    @Timeout(120)
    void everyMessageArrivesOnceInOrderAndWhole(QueueDirection direction) throws Exception {
        exchange(direction, new Random().nextLong() & 0xffff_ffffL, 100_000);
    }

    @Test
    @Tag("long")
    void millionsOfMessagesArriveOnceInOrderAndWhole() throws Exception {
        long first = new Random().nextLong() & 0xffff_ffffL;
        for (long seed = first; seed < first + 4; seed++) {
            for (QueueDirection direction : QueueDirection.values()) {
                exchange(direction, seed, 2_000_000);
            }
        }
    }

    private static void exchange(QueueDirection direction, long seed, int messages) throws Exception {
        System.out.println("bulk " + direction + ", " + messages + " messages, seed " + seed);
        try (QueueRig rig = new QueueRig(FaultPlan.NONE, seed, SMALL_RING)) {
            QueueEntry queue = rig.bulkQueue(direction, 16);
            BulkSender sender = rig.sender(queue);
            BulkReceiver receiver = rig.receiver(queue);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread producer = Thread.ofPlatform().daemon().start(() -> {
                try {
                    send(sender, new Random(seed), messages, failure);
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            });
            try {
                receive(receiver, messages, seed, failure);
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
            producer.join();
            assertThat(failure.get()).as("seed %d", seed).isNull();
            assertThat(rig.receiving.skipped()).as("%s, seed %d", rig.receiving, seed).isZero();
            assertThat(rig.sending.refusedCredits).as("seed %d", seed).isZero();
        }
    }

    private static void send(BulkSender sender, Random random, int messages, AtomicReference<Throwable> failure) {
        long[] words = new long[sender.maxWords()];
        for (int message = 0; message < messages && failure.get() == null; message++) {
            int count = 1 + random.nextInt(random.nextInt(10) == 0 ? words.length : 32);
            QueueRig.fill(words, message, count);
            while (!sender.send(words, 0, count) && failure.get() == null) {
                sender.commit();
                Thread.yield(); // with one CPU free, a turn of the ring is not a time slice of the scheduler
            }
            if (random.nextInt(4) == 0) {
                sender.commit();
            }
        }
        sender.commit();
        sender.heal();
    }

    private static void receive(BulkReceiver receiver, int messages, long seed, AtomicReference<Throwable> failure) {
        long[] words = new long[receiver.maxWords()];
        long deadline = System.nanoTime() + 100_000_000_000L;
        for (int received = 0; received < messages;) {
            int count = receiver.receive(words);
            if (count > 0) {
                assertThat(QueueRig.numberOf(words, count)).as("message, seed %d", seed).isEqualTo(received++);
            } else {
                Thread.yield();
                if (failure.get() != null || System.nanoTime() - deadline > 0) {
                    throw new AssertionError("only " + received + " of " + messages + " messages, seed " + seed);
                }
            }
        }
    }
}
