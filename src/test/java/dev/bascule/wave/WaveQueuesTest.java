package dev.bascule.wave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.bascule.agent.Lines;
import dev.bascule.agent.MessageReceiver;
import dev.bascule.agent.MessageSender;
import dev.bascule.agent.TransportCounters;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.memory.Window;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The queue calls: create, set type, associate, destroy, and opening on the other side. */
class WaveQueuesTest {
    private static final QueueTarget AGENT = new QueueTarget(QueueTarget.Kind.AGENT, 3);

    private static QueueRig rig() {
        return new QueueRig(FaultPlan.NONE, 1, 4096);
    }

    @ParameterizedTest
    @EnumSource(QueueDirection.class)
    void anMmioQueueCarriesMessagesBothWays(QueueDirection direction) {
        try (QueueRig rig = rig()) {
            int id = rig.queues.create(direction, 8);
            QueueEntry queue = Objects.requireNonNull(rig.finder.open(id));
            boolean toNic = direction == QueueDirection.TO_NIC;
            MessageSender sender = (toNic ? rig.host : rig.nic).messageSender(queue);
            MessageReceiver receiver = (toNic ? rig.nic : rig.host).messageReceiver(queue, new TransportCounters());
            long[] words = new long[6];
            int received = 0;
            int sent = 0;
            for (int step = 0; step < 20_000 && received < 2000; step++) {
                words[0] = sent;
                words[5] = ~sent;
                sent += sender.send(words) ? 1 : 0;
                (toNic ? rig.host : rig.nic).flush();
                if (receiver.peek(words)) {
                    assertThat(words[0]).isEqualTo(received);
                    assertThat(words[5]).isEqualTo(~received);
                    receiver.consume();
                    received++;
                }
            }
            assertThat(received).isEqualTo(2000);
        }
    }

    @Test
    void aQueueIsOpenedByIdAndByItsTarget() {
        try (QueueRig rig = rig()) {
            int down = rig.queues.create(QueueDirection.TO_NIC, 8);
            int up = rig.queues.create(QueueDirection.TO_HOST, 16);
            assertThat(rig.found(AGENT, QueueDirection.TO_NIC)).isNull();
            rig.queues.associate(down, AGENT);
            rig.queues.associate(up, AGENT);
            assertThat(rig.found(AGENT, QueueDirection.TO_NIC)).isEqualTo(down);
            assertThat(rig.found(AGENT, QueueDirection.TO_HOST)).isEqualTo(up);
            assertThat(rig.finder.open(up)).isEqualTo(rig.queues.open(up));
            QueueTarget task = new QueueTarget(QueueTarget.Kind.TASK, 3);
            rig.queues.associate(down, task);
            assertThat(rig.found(AGENT, QueueDirection.TO_NIC)).as("moved away").isNull();
            assertThat(rig.found(task, QueueDirection.TO_NIC)).isEqualTo(down);
        }
    }

    @Test
    void aDestroyedQueueIsGoneAndItsIdIsNotUsedAgain() {
        try (QueueRig rig = rig()) {
            int first = rig.queues.create(QueueDirection.TO_NIC, 8);
            rig.queues.associate(first, AGENT);
            QueueEntry opened = Objects.requireNonNull(rig.finder.open(first));
            assertThat(rig.finder.isCurrent(opened)).isTrue();
            rig.queues.destroy(first);
            assertThat(rig.finder.isCurrent(opened)).isFalse();
            assertThat(rig.found(AGENT, QueueDirection.TO_NIC)).isNull();
            assertThatIllegalArgumentException().isThrownBy(() -> rig.queues.destroy(first))
                    .withMessageContaining("no such queue");
            int second = rig.queues.create(QueueDirection.TO_NIC, 8);
            assertThat(second).isNotEqualTo(first);
            assertThat(rig.queues.open(second).nicOffset()).as("memory is used again").isEqualTo(opened.nicOffset());
        }
    }

    @Test
    void whatALateWriterLeavesInReusedMemoryIsNoMessage() {
        try (QueueRig rig = rig()) {
            QueueEntry old = rig.bulkQueue(QueueDirection.TO_NIC, 8);
            BulkSender late = rig.sender(old);
            rig.queues.destroy(old.id());
            QueueEntry fresh = rig.bulkQueue(QueueDirection.TO_NIC, 8);
            assertThat(fresh.nicOffset()).isEqualTo(old.nicOffset());
            BulkReceiver receiver = rig.receiver(fresh);
            long[] words = new long[receiver.maxWords()];
            late.send(words, 0, 5);
            late.commit();
            assertThat(receiver.receive(words)).isZero();
            BulkSender sender = rig.sender(fresh);
            sender.send(words, 0, 6);
            sender.commit();
            assertThat(receiver.receive(words)).isEqualTo(6);
        }
    }

    @Test
    void aChangeOfTypeMakesOldEndsWorthless() {
        try (QueueRig rig = rig()) {
            int id = rig.queues.create(QueueDirection.TO_NIC, 8);
            QueueEntry mmio = Objects.requireNonNull(rig.finder.open(id));
            assertThatIllegalStateException().isThrownBy(() -> rig.nic.bulkReceiver(mmio, rig.receiving))
                    .withMessageContaining("type MMIO");
            assertThatIllegalStateException().isThrownBy(() -> rig.nic.messageSender(mmio));
            rig.queues.setType(id, QueueType.DMA);
            assertThat(rig.finder.isCurrent(mmio)).isFalse();
            QueueEntry dma = Objects.requireNonNull(rig.finder.open(id));
            assertThat(dma.type()).isEqualTo(QueueType.DMA);
            long[] words = new long[512];
            BulkSender sender = rig.sender(rig.queues.open(id));
            sender.send(words, 0, 100);
            sender.commit();
            assertThat(rig.receiver(dma).receive(words)).isEqualTo(100);
            rig.queues.setType(id, QueueType.MMIO);
            assertThat(Objects.requireNonNull(rig.finder.open(id)).tag()).isNotIn(mmio.tag(), dma.tag());
        }
    }

    @Test
    void noRoomIsSaidAndGivenBackByDestroy() {
        try (QueueRig rig = rig()) {
            int last = 0;
            for (int i = 0; i < 8; i++) {
                last = rig.queues.create(QueueDirection.TO_NIC, 8);
            }
            assertThatIllegalStateException().isThrownBy(() -> rig.queues.create(QueueDirection.TO_NIC, 8))
                    .withMessageContaining("all 8");
            rig.queues.destroy(last);
            assertThatIllegalStateException().isThrownBy(() -> rig.queues.create(QueueDirection.TO_NIC, 1 << 16))
                    .withMessageContaining("NIC memory");
            assertThatIllegalArgumentException().isThrownBy(() -> rig.queues.create(QueueDirection.TO_NIC, 12));
            assertThat(rig.queues.create(QueueDirection.TO_HOST, 8)).isGreaterThan(last);
        }
    }

    @Test
    void entriesOfAnotherEpochAreStale() {
        try (QueueRig rig = rig()) {
            int id = rig.queues.create(QueueDirection.TO_NIC, 8);
            QueueArea now = rig.area;
            QueueArea next = new QueueArea(now.epoch() + 1, now.queues(), now.nicOffset(), now.nicBytes(),
                    now.hostOffset(), now.hostBytes(), now.payloadBytes());
            QueueFinder successor = new QueueFinder(
                    QueueEnds.ofNic(next, rig.region.nic().memory(), rig.region.nic().hostMemory()));
            assertThat(successor.open(id)).isNull();
            assertThat(successor.stale()).isEqualTo(8);
            assertThat(successor.damaged()).isZero();
        }
    }

    @Test
    void sealedEntriesThatPointOutsideAreRefusedUntilRefreshed() {
        refuses(line -> line[1] = -1);
        refuses(line -> line[2] |= 7L << 56);
        refuses(line -> line[2] |= 7L << 48);
        refuses(line -> line[2] |= 9L << 40);
        refuses(line -> line[3] = 3);
        refuses(line -> line[3] = 1L << 40);
        refuses(line -> line[4] = QueueRig.NIC_AT);
        refuses(line -> line[4] = Long.MAX_VALUE & -64);
        refuses(line -> line[4] += 8);
        refuses(line -> line[5] = QueueRig.HOST_AT + (1 << 20) - 64);
        refuses(line -> line[5] = Long.MIN_VALUE);
    }

    private static void refuses(Consumer<long[]> forgery) {
        try (QueueRig rig = rig()) {
            QueueEntry queue = rig.bulkQueue(QueueDirection.TO_NIC, 8);
            long at = rig.area.entry(0);
            long[] line = new long[8];
            queue.encode(rig.area.epoch(), at, line);
            forgery.accept(line);
            line[7] = Lines.digest(line, at);
            for (int i = 0; i < 8; i++) {
                rig.nicMemory.storeRelease(at + i * 8L, line[i]);
            }
            assertThat(rig.finder.open(queue.id())).isNull();
            assertThat(rig.finder.damaged()).isEqualTo(1);
            rig.queues.refresh();
            assertThat(rig.finder.open(queue.id())).isEqualTo(queue);
        }
    }

    @Test
    void everyFlippedBitOfAnEntryIsSeen() {
        try (QueueRig rig = rig()) {
            QueueEntry queue = rig.bulkQueue(QueueDirection.TO_HOST, 8);
            for (int bit = 0; bit < Window.LINE_BYTES * 8; bit++) {
                long at = rig.area.entry(0) + bit / 64 * 8L;
                long good = rig.nicMemory.loadAcquire(at);
                rig.nicMemory.storeRelease(at, good ^ 1L << bit);
                assertThat(rig.finder.open(queue.id())).as("bit %d", bit).isNull();
                rig.nicMemory.storeRelease(at, good);
            }
            assertThat(rig.finder.open(queue.id())).isEqualTo(queue);
        }
    }

    @Test
    void queuesNeverOverlap() {
        for (long seed = 1; seed <= 5; seed++) {
            try (QueueRig rig = rig()) {
                Random random = new Random(seed);
                int[] ids = new int[8];
                for (int step = 0; step < 500; step++) {
                    int slot = random.nextInt(8);
                    if (ids[slot] == 0) {
                        ids[slot] = rig.queues.create(QueueDirection.TO_NIC, 2 << random.nextInt(7));
                        rig.queues.setType(ids[slot], QueueType.values()[random.nextInt(2)]);
                    } else {
                        rig.queues.destroy(ids[slot]);
                        ids[slot] = 0;
                    }
                    checkDisjoint(rig, ids, seed);
                }
            }
        }
    }

    private static void checkDisjoint(QueueRig rig, int[] ids, long seed) {
        for (int a : ids) {
            for (int b : ids) {
                if (a > 0 && b > a) {
                    QueueEntry one = rig.queues.open(a);
                    QueueEntry two = rig.queues.open(b);
                    assertThat(one.nicOffset() + rig.area.nicNeeded(one.entries()) <= two.nicOffset()
                            || two.nicOffset() + rig.area.nicNeeded(two.entries()) <= one.nicOffset())
                            .as("NIC memory of %s and %s, seed %d", one, two, seed).isTrue();
                    assertThat(one.hostOffset() + rig.area.hostNeeded(one.type(), one.entries()) <= two.hostOffset()
                            || two.hostOffset() + rig.area.hostNeeded(two.type(), two.entries()) <= one.hostOffset())
                            .as("host memory of %s and %s, seed %d", one, two, seed).isTrue();
                }
            }
        }
    }
}
