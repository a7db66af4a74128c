package dev.bascule.wave;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.loopback.FaultKind;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.FaultRule;
import dev.bascule.loopback.FaultSite;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bulk messages over a link that loses, repeats, reorders, tears and corrupts lines, payloads and credits included. */
class BulkFaultTest {
    private static final int MESSAGES = 600;
    private static final int SEEDS = 6;
    private static final long AFTER_CONTROL = QueueRig.NIC_AT + 8 * 64;

    @ParameterizedTest
    @EnumSource(value = FaultKind.class, names = { "DROP", "DUPLICATE", "REORDER", "TEAR", "CORRUPT" })
    void everyMessageArrivesWholeOrIsCounted(FaultKind kind) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            for (QueueDirection direction : QueueDirection.values()) {
                long skipped = exchangeUnderFaults(kind, direction, seed);
                if (direction == QueueDirection.TO_NIC) { // payloads are not hit: the sender repeats what is lost
                    assertThat(skipped).as("skipped, %s, seed %d", kind, seed).isLessThan(MESSAGES / 4);
                }
            }
        }
    }

    private static long exchangeUnderFaults(FaultKind kind, QueueDirection direction, long seed) {
        FaultPlan plan = FaultPlan.of(seed, rule(kind, FaultSite.HOST_TO_NIC), rule(kind, FaultSite.NIC_TO_HOST),
                rule(kind, FaultSite.DMA_WRITE));
        String what = kind + " " + direction + " seed " + seed;
        try (QueueRig rig = new QueueRig(plan, seed, 4096)) {
            Random random = new Random(seed);
            QueueEntry queue = rig.bulkQueue(direction, 8);
            BulkSender sender = rig.sender(queue);
            BulkReceiver receiver = rig.receiver(queue);
            long[] words = new long[sender.maxWords()];
            int sent = 0;
            int last = -1;
            int received = 0;
            long deadlineNanos = System.nanoTime() + 60_000_000_000L;
            while (receiver.taken() != MESSAGES && System.nanoTime() - deadlineNanos < 0) {
                int size = 1 + random.nextInt(40);
                if (sent < MESSAGES && sender.send(words, 0, QueueRig.fill(words, sent, size))) {
                    sent++;
                }
                sender.commit();
                if (random.nextInt(200) == 0) {
                    sender.heal();
                }
                int got = receiver.receive(words);
                if (got > 0) {
                    int number = QueueRig.numberOf(words, got);
                    assertThat(number).as("%s: whole and once, in order", what).isGreaterThan(last);
                    last = number;
                    received++;
                }
            }
            assertThat(receiver.taken()).as("%s: sent %d, %s, %s", what, sent, rig.receiving, rig.sending)
                    .isEqualTo(MESSAGES);
            assertThat(received + rig.receiving.skipped()).as(what).isEqualTo(MESSAGES);
            assertThat(received).as(what).isGreaterThan(MESSAGES / 4);
            return rig.receiving.skipped();
        }
    }

    private static FaultRule rule(FaultKind kind, FaultSite site) {
        FaultRule rule = FaultRule.of(kind, site).likely(0.03).by(2);
        return site == FaultSite.DMA_WRITE ? rule : rule.offsets(AFTER_CONTROL, Long.MAX_VALUE);
    }

    @Test
    void aLostLastDescriptorIsRepeatedByHeal() {
        long line = AFTER_CONTROL + QueueArea.CONTROL_BYTES;
        // message 0 and 1 at this line clear it when the queue is made and changes its type
        FaultPlan plan = FaultPlan.of(1,
                FaultRule.of(FaultKind.DROP, FaultSite.HOST_TO_NIC).offsets(line, line + 63).messages(2, 1));
        try (QueueRig rig = new QueueRig(plan, 1, 4096)) {
            QueueEntry queue = rig.bulkQueue(QueueDirection.TO_NIC, 8);
            assertThat(queue.nicOffset()).isEqualTo(AFTER_CONTROL);
            BulkSender sender = rig.sender(queue);
            BulkReceiver receiver = rig.receiver(queue);
            long[] words = new long[sender.maxWords()];
            sender.send(words, 0, 9);
            sender.commit();
            assertThat(receiver.receive(words)).as("dropped").isZero();
            sender.heal();
            assertThat(receiver.receive(words)).isEqualTo(9);
            assertThat(rig.receiving.skipped()).isZero();
        }
    }

    @Test
    void aDamagedPayloadIsCountedAndTheNextOneTaken() {
        try (QueueRig rig = new QueueRig(FaultPlan.NONE, 1, 4096)) {
            QueueEntry queue = rig.bulkQueue(QueueDirection.TO_NIC, 8);
            BulkSender sender = rig.sender(queue);
            BulkReceiver receiver = rig.receiver(queue);
            long[] words = new long[sender.maxWords()];
            sender.send(words, 0, 20);
            sender.send(words, 0, 7);
            sender.commit();
            long payload = queue.ring(rig.area).payload();
            rig.hostMemory.storeRelease(payload + 8, 1);
            int got = 0;
            for (int look = 0; look <= BulkReceiver.PAYLOAD_LOOKS && got == 0; look++) {
                got = receiver.receive(words);
            }
            assertThat(got).isEqualTo(7);
            assertThat(rig.receiving.damagedPayloads).isEqualTo(1);
        }
    }
}
