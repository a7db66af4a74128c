package dev.bascule.wave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.LinkProfile;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bulk messages over a link without faults: order, content, limits, cost. */
class BulkQueueTest {
    private static final long RING = 8192;

    @ParameterizedTest
    @EnumSource(QueueDirection.class)
    void messagesOfAnySizeArriveInOrderAndWhole(QueueDirection direction) {
        for (long seed = 1; seed <= 4; seed++) {
            try (QueueRig rig = new QueueRig(FaultPlan.NONE, seed, RING)) {
                exchange(rig, direction, seed, 5000);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(QueueDirection.class)
    void messagesArriveOverALinkWithLatency(QueueDirection direction) {
        LinkProfile slow = LinkProfile.ZERO.withMmioRead(300).withMmioWrite(20, 700).withDma(400, 900);
        try (QueueRig rig = new QueueRig(FaultPlan.NONE, 5, RING, slow)) {
            exchange(rig, direction, 5, 500);
        }
    }

    private static void exchange(QueueRig rig, QueueDirection direction, long seed, int messages) {
        Random random = new Random(seed);
        QueueEntry queue = rig.bulkQueue(direction, 16);
        BulkSender sender = rig.sender(queue);
        BulkReceiver receiver = rig.receiver(queue);
        long[] out = new long[sender.maxWords()];
        long[] in = new long[receiver.maxWords()];
        int sent = 0;
        int received = 0;
        int size = 0;
        long deadlineNanos = System.nanoTime() + 60_000_000_000L;
        while (received < messages && System.nanoTime() - deadlineNanos < 0) {
            if (sent < messages && random.nextBoolean()) {
                size = size == 0 ? size(random, sender.maxWords()) : size;
                QueueRig.fill(out, sent, size);
                if (sender.send(out, 0, size)) {
                    sent++;
                    size = 0;
                }
            }
            if (random.nextInt(3) == 0) {
                sender.commit();
            }
            int words = random.nextBoolean() ? receiver.receive(in) : 0;
            if (words > 0) {
                assertThat(QueueRig.numberOf(in, words)).as("message, seed %d", seed).isEqualTo(received++);
            }
        }
        assertThat(received).as("received, seed %d", seed).isEqualTo(messages);
        assertThat(rig.receiving.skipped()).as("%s, seed %d", rig.receiving, seed).isZero();
        assertThat(rig.sending.refusedCredits).isZero();
    }

    /** Mostly small, now and then as long as allowed. */
    private static int size(Random random, int most) {
        return switch (random.nextInt(8)) {
            case 0 -> most;
            case 1 -> 1;
            case 2 -> 1 + random.nextInt(most);
            default -> 1 + random.nextInt(64);
        };
    }

    @ParameterizedTest
    @EnumSource(QueueDirection.class)
    void aFullRingRefusesAndCountsAndTakesAgainAfterCredit(QueueDirection direction) {
        try (QueueRig rig = new QueueRig(FaultPlan.NONE, 1, RING)) {
            QueueEntry queue = rig.bulkQueue(direction, 8);
            BulkSender sender = rig.sender(queue);
            BulkReceiver receiver = rig.receiver(queue);
            long[] words = new long[sender.maxWords()];
            for (int i = 0; i < 8; i++) {
                assertThat(sender.send(words, 0, 1)).as("line %d", i).isTrue();
            }
            assertThat(sender.send(words, 0, 1)).as("no line left").isFalse();
            assertThat(rig.sending.full).isEqualTo(1);
            sender.commit();
            for (int i = 0; i < 8; i++) {
                assertThat(receiver.receive(words)).isEqualTo(1);
            }
            assertThat(sender.send(words, 0, sender.maxWords())).as("half of the bytes").isTrue();
            assertThat(sender.send(words, 0, sender.maxWords())).as("more than what is left").isFalse();
            assertThat(rig.sending.full).isEqualTo(2);
            sender.commit();
            assertThat(receiver.receive(words)).isEqualTo(sender.maxWords());
            assertThat(sender.send(words, 0, sender.maxWords())).as("after credit").isTrue();
            assertThat(sender.outstanding()).isEqualTo(1);
        }
    }

    @Test
    void nothingIsVisibleBeforeCommit() {
        try (QueueRig rig = new QueueRig(FaultPlan.NONE, 1, RING)) {
            QueueEntry queue = rig.bulkQueue(QueueDirection.TO_NIC, 8);
            BulkSender sender = rig.sender(queue);
            BulkReceiver receiver = rig.receiver(queue);
            long[] words = new long[receiver.maxWords()];
            assertThat(sender.send(words, 3, 5)).isTrue();
            rig.host.flush();
            assertThat(receiver.receive(words)).isZero();
            sender.commit();
            assertThat(receiver.receive(words)).isEqualTo(5);
        }
    }

    @Test
    void lengthsThatCannotBeAreRefused() {
        try (QueueRig rig = new QueueRig(FaultPlan.NONE, 1, RING)) {
            QueueEntry queue = rig.bulkQueue(QueueDirection.TO_NIC, 8);
            BulkSender sender = rig.sender(queue);
            long[] words = new long[sender.maxWords() + 1];
            assertThatIllegalArgumentException().isThrownBy(() -> sender.send(words, 0, 0));
            assertThatIllegalArgumentException().isThrownBy(() -> sender.send(words, 0, words.length))
                    .withMessageContaining("1 to 512");
            assertThatIllegalArgumentException().isThrownBy(() -> rig.receiver(queue).receive(new long[511]))
                    .withMessageContaining("512");
        }
    }

    @ParameterizedTest
    @EnumSource(QueueDirection.class)
    void sendAndReceiveAllocateNothing(QueueDirection direction) {
        try (QueueRig rig = new QueueRig(FaultPlan.NONE, 1, RING)) {
            QueueEntry queue = rig.bulkQueue(direction, 16);
            BulkSender sender = rig.sender(queue);
            BulkReceiver receiver = rig.receiver(queue);
            long[] words = new long[sender.maxWords()];
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long bytes = Long.MAX_VALUE;
            long moved = 0;
            for (int round = 0; round < 5 && bytes != 0; round++) { // the compiler may disturb the first ones
                long before = threads.getCurrentThreadAllocatedBytes();
                moved += move(sender, receiver, words, 20_000);
                bytes = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertThat(bytes).as("bytes allocated in %d words", moved).isZero();
            assertThat(moved).isGreaterThanOrEqualTo(20_000L * 100);
        }
    }

    private static long move(BulkSender sender, BulkReceiver receiver, long[] words, int messages) {
        long moved = 0;
        for (int i = 0; i < messages; i++) {
            sender.send(words, 0, 100);
            sender.commit();
            if ((i & 1023) == 0) {
                sender.heal();
            }
            int got = receiver.receive(words);
            moved += got == 0 ? receiver.receive(words) : got; // the first look may see an older cached line
        }
        return moved;
    }
}
