package dev.bascule.wave;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.Lines;
import dev.bascule.loopback.FaultPlan;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A peer that writes what it likes into the shared memory. */
class BulkHostileTest {
    private static final long RING = 4096;

    @Test
    void sealedDescriptorsOutsideOfTheRingAreRefused() {
        long[][] bad = { { -64, 8 }, { RING, 1 }, { RING - 64, 9 }, { Long.MAX_VALUE & -64, 8 }, { Long.MIN_VALUE, 8 },
                { 8, 1 },
                { 0, 0 }, { 0, -1 }, { 0, RING / 16 + 1 }, { 0, Long.MAX_VALUE }, { 64, Long.MIN_VALUE },
                { 0, 1L << 61 } };
        try (QueueRig rig = new QueueRig(FaultPlan.NONE, 1, RING)) {
            QueueEntry queue = rig.bulkQueue(QueueDirection.TO_NIC, 4);
            BulkRing ring = queue.ring(rig.area);
            BulkReceiver receiver = rig.receiver(queue);
            long[] words = new long[receiver.maxWords()];
            for (int i = 0; i < bad.length; i++) {
                forge(rig, ring, i, bad[i][0], bad[i][1]);
                assertThat(receiver.receive(words)).isZero();
                assertThat(rig.receiving.refusedDescriptors).as("descriptor %d", i).isEqualTo(i + 1);
            }
            assertThat(receiver.taken()).isEqualTo(bad.length);
        }
    }

    private static void forge(QueueRig rig, BulkRing ring, int message, long offset, long length) {
        long line = ring.line(message);
        long[] words = { ring.first(message), offset, length, 0, 0, 0, 0, 0 };
        words[7] = Lines.digest(words, line);
        for (int i = 0; i < 8; i++) {
            rig.nicMemory.storeRelease(line + i * 8L, words[i]);
        }
    }

    @Test
    void creditsThatCannotBeAreIgnored() {
        try (QueueRig rig = new QueueRig(FaultPlan.NONE, 1, RING)) {
            QueueEntry queue = rig.bulkQueue(QueueDirection.TO_NIC, 4);
            BulkRing ring = queue.ring(rig.area);
            BulkSender sender = rig.sender(queue);
            long[] words = new long[8];
            for (int i = 0; i < 4; i++) {
                assertThat(sender.send(words, 0, 8)).isTrue();
            }
            sender.commit();
            long foreign = Lines.seal(1L << 32 | (long) (queue.tag() ^ 1) << 16, ring.credit());
            long[] bad = { -1, 1, 1L << 32, ring.seal(5, ring.credit()), ring.seal(-1, ring.credit()),
                    ring.seal(Integer.MIN_VALUE, ring.credit()), ring.seal(1, ring.credit() + 64), foreign };
            for (int i = 0; i < bad.length; i++) {
                rig.hostMemory.storeRelease(ring.credit(), bad[i]);
                assertThat(sender.send(words, 0, 8)).as("credit %x", bad[i]).isFalse();
                assertThat(rig.sending.refusedCredits).as("credit %x", bad[i]).isEqualTo(i + 1);
            }
            rig.hostMemory.storeRelease(ring.credit(), ring.seal(1, ring.credit()));
            assertThat(sender.send(words, 0, 8)).as("an honest credit after all").isTrue();
        }
    }

    @Test
    void aTotalThatCannotBeSkipsNothing() {
        try (QueueRig rig = new QueueRig(FaultPlan.NONE, 1, RING)) {
            QueueEntry queue = rig.bulkQueue(QueueDirection.TO_NIC, 4);
            BulkRing ring = queue.ring(rig.area);
            BulkReceiver receiver = rig.receiver(queue);
            long[] words = new long[receiver.maxWords()];
            for (long bad : new long[] { -1, 2L << 32, ring.seal(5, ring.total()), ring.seal(-3, ring.total()) }) {
                rig.nicMemory.storeRelease(ring.total(), bad);
                look(receiver, words, BulkReceiver.PATIENCE + 1);
            }
            assertThat(receiver.taken()).isZero();
            rig.nicMemory.storeRelease(ring.total(), ring.seal(1, ring.total()));
            look(receiver, words, BulkReceiver.PATIENCE + 1);
            assertThat(rig.receiving.lost).as("line and total might just have come").isZero();
            look(receiver, words, BulkReceiver.PATIENCE + 1);
            assertThat(rig.receiving.lost).isEqualTo(1);
        }
    }

    private static void look(BulkReceiver receiver, long[] words, int times) {
        for (int i = 0; i < times; i++) {
            receiver.receive(words);
        }
    }

    @Test
    void randomBytesInBothMemoriesNeitherPassNorThrow() {
        for (long seed = 1; seed <= 10; seed++) {
            for (QueueDirection direction : QueueDirection.values()) {
                try (QueueRig rig = new QueueRig(FaultPlan.NONE, seed, RING)) {
                    scribble(rig, rig.bulkQueue(direction, 8), new Random(seed), seed);
                }
            }
        }
    }

    private static void scribble(QueueRig rig, QueueEntry queue, Random random, long seed) {
        BulkSender sender = rig.sender(queue);
        BulkReceiver receiver = rig.receiver(queue);
        long[] words = new long[sender.maxWords()];
        int sent = 0;
        int received = 0;
        for (int step = 0; step < 3000; step++) {
            boolean inNic = random.nextBoolean();
            long at = (inNic ? queue.nicOffset() : queue.hostOffset()) + random.nextInt(80) * 8L;
            if (random.nextInt(3) == 0) {
                (inNic ? rig.nicMemory : rig.hostMemory).storeRelease(at, random.nextLong());
            }
            if (sender.send(words, 0, QueueRig.fill(words, sent, 1 + random.nextInt(30)))) {
                sent++;
            }
            sender.commit();
            int got = receiver.receive(words);
            if (got > 0) {
                received++;
                assertThat(QueueRig.numberOf(words, got)).as("seed %d", seed).isBetween(0, sent - 1);
            }
        }
        assertThat(received).as("seed %d", seed).isPositive();
    }
}
