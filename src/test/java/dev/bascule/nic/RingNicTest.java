package dev.bascule.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.bascule.device.DeviceException;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.virtio.VirtioNetModel;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What all cards with a ring each way share, on a card that does as the test says. */
class RingNicTest {
    private static final int SLOTS = 8;
    private static final int BUFFERS = 2 * SLOTS;

    /** A ring whose card is done with as many frames as it is told, all of one length. */
    private static final class Ring implements CardRing {
        private final RingMemory memory;
        private int given;
        private int done;
        private int lengthBytes = 60;
        private int slotError;
        private boolean doneWhenArmed;
        private int doorbells;

        Ring(LoopbackDevice device) {
            memory = new RingMemory(device.addressSpace(), "stub ring", 64);
        }

        void complete(int frames) {
            done += frames;
        }

        @Override
        public RingMemory memory() {
            return memory;
        }

        @Override
        public int slots() {
            return SLOTS;
        }

        @Override
        public void clear() {
            given = 0;
            done = 0;
        }

        @Override
        public int give(int index, long iova, int bytes) {
            if (index != given++) {
                throw new AssertionError("index " + index);
            }
            return index & SLOTS - 1;
        }

        @Override
        public boolean tell(int tail) {
            doorbells++;
            return true;
        }

        @Override
        public int done(int head, int tail) {
            return done - head;
        }

        @Override
        public int slot(int head) {
            return (head & SLOTS - 1) + slotError;
        }

        @Override
        public int lengthBytes(int head) {
            return lengthBytes;
        }

        @Override
        public void arm(int head) {
            done += doneWhenArmed ? 1 : 0;
        }
    }

    private final LoopbackDevice device = LoopbackDevice.open(new VirtioNetModel(0x0200_0000_0001L, true));
    private final Ring receiving = new Ring(device);
    private final Ring sending = new Ring(device);
    private boolean fails;
    private boolean goesOn;
    private final RingCard card = new RingCard() {
        @Override
        public CardRing ring(boolean sends) {
            return sends ? sending : receiving;
        }

        @Override
        public void start(boolean interrupts) {
            if (fails) {
                throw new DeviceException("start", "stub", "the test says so", "do not");
            }
        }

        @Override
        public void stop() {
            if (goesOn) {
                throw new DeviceException("stop", "stub", "it goes on", "reset it");
            }
        }

        @Override
        public void check() {}
    };
    private final NicOptions options = NicOptions.DEFAULTS.withInterrupts();
    private final Nic nic = RingNic.open("stub", device, wishes -> card, options);
    private final RxQueue rx = nic.rxQueue(0);
    private final TxQueue tx = nic.txQueue(0);
    private final PacketBatch batch = new PacketBatch(BUFFERS);

    @AfterEach
    void close() {
        nic.close();
        device.close();
    }

    private void write(int frames) {
        assertThat(tx.allocate(batch, frames)).isEqualTo(frames);
        for (int i = 0; i < frames; i++) {
            batch.setLength(i, 60);
        }
        assertThat(tx.write(batch)).isEqualTo(frames);
    }

    /** Buffers of the send pool that nobody has. */
    private int free() {
        PacketBatch all = new PacketBatch(BUFFERS);
        int count = tx.allocate(all, BUFFERS);
        all.release();
        return count;
    }

    @Test
    void aBurstIsOneDoorbellEachWay() {
        nic.start();
        assertThat(receiving.doorbells).isEqualTo(1);
        write(5);
        assertThat(sending.doorbells).isZero();
        assertThat(tx.commit()).isEqualTo(5);
        assertThat(tx.commit()).isZero();
        assertThat(sending.doorbells).isEqualTo(1);
        receiving.complete(3);
        assertThat(rx.poll(batch)).isEqualTo(3);
        assertThat(receiving.doorbells).isEqualTo(2);
        batch.release();
    }

    @Test
    void aFailedStartLeavesAStoppedPortThatStarts() {
        fails = true;
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(nic::start).hasMessageContaining("the test says so");
            assertThat(device.config().read16(4) & 4).as("no bus mastering").isZero();
        }
        fails = false;
        nic.start();
        receiving.complete(1);
        assertThat(rx.poll(batch)).isEqualTo(1);
        batch.release();
    }

    @Test
    void whatAStoppedPortWasGivenComesBackWithItsStart() {
        write(4);
        nic.start();
        assertThat(free()).isEqualTo(BUFFERS);
        assertThat(tx.commit()).isZero();
        write(4);
        nic.stop();
        assertThat(free()).isEqualTo(BUFFERS);
    }

    @Test
    void aPortThatCouldNotBeStoppedIsNotStartedAgain() {
        nic.start();
        goesOn = true;
        assertThatThrownBy(nic::stop).hasMessageContaining("it goes on");
        goesOn = false;
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(nic::start).hasMessageContaining("could not be stopped")
                    .hasMessageContaining("it goes on").hasMessageContaining("reset the card and open it again");
            assertThat(device.config().read16(4) & 4).as("no bus mastering").isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void aCardThatHasNoBufferSinceTheUserHadAllGetsThemOnceHeGivesThemBack(boolean waits) {
        nic.start();
        PacketBatch all = new PacketBatch(BUFFERS);
        receiving.complete(SLOTS);
        rx.poll(all);
        receiving.complete(SLOTS);
        rx.poll(all);
        assertThat(all.size()).isEqualTo(BUFFERS);
        assertThat(rx.poll(batch)).as("none to give").isZero();
        assertThat(receiving.given).isEqualTo(BUFFERS);
        all.release();
        if (waits) {
            rx.await(1);
        } else {
            rx.poll(batch);
        }
        assertThat(receiving.given).isEqualTo(BUFFERS + SLOTS);
        receiving.complete(1);
        assertThat(rx.poll(batch)).isEqualTo(1);
        batch.release();
        nic.stop();
        assertThat(rx.poll(batch)).as("a stopped card gets none").isZero();
        assertThat(receiving.given).isZero();
    }

    @Test
    void packetsThatAStopTakesBackCountInTheNumbersOfThoseReportedLater() {
        List<Long> numbers = new ArrayList<>();
        tx.onSent((number, timestampNanos) -> numbers.add(number));
        nic.start();
        write(3);
        tx.commit();
        sending.complete(1);
        tx.reclaim();
        nic.stop();
        nic.start();
        write(1);
        tx.commit();
        sending.complete(1);
        tx.reclaim();
        assertThat(numbers).containsExactly(0L, 3L);
    }

    @Test
    void framesThatTheCardCouldNotMoveAreErrors() {
        nic.start();
        write(2);
        tx.commit();
        sending.lengthBytes = 0;
        receiving.lengthBytes = -12;
        sending.complete(2);
        receiving.complete(3);
        assertThat(tx.reclaim()).isEqualTo(2);
        assertThat(rx.poll(batch)).isZero();
        assertThat(batch.isEmpty()).isTrue();
        assertThat(nic.statistics()).containsEntry("tx_errors", 2L).containsEntry("rx_errors", 3L)
                .containsEntry("rx_packets", 0L);
        assertThat(free()).isEqualTo(BUFFERS);
        receiving.lengthBytes = 60;
        receiving.complete(SLOTS);
        assertThat(rx.poll(batch)).as("it has its buffers again").isEqualTo(SLOTS);
        batch.release();
    }

    @Test
    void aSlotOrLengthThatWasNotGivenStopsTheQueueUntilAStart() {
        nic.start();
        receiving.complete(1);
        for (int wrong : new int[] { -1, SLOTS }) {
            receiving.slotError = wrong;
            assertThatThrownBy(() -> rx.poll(batch)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("which it was not given");
            receiving.slotError = 0;
            assertThatThrownBy(() -> rx.poll(batch)).as("it stays so").isInstanceOf(DeviceException.class);
            nic.stop();
            nic.start();
            receiving.complete(1);
        }
        receiving.lengthBytes = RingCard.BUFFER_BYTES + 1;
        assertThatThrownBy(() -> rx.poll(batch)).hasMessageContaining("2049 bytes");
    }

    @Test
    void aRingThatRanDryIsCounted() {
        nic.start();
        receiving.complete(SLOTS - 1);
        rx.poll(batch);
        assertThat(nic.statistics()).containsEntry("rx_ran_dry", 0L);
        receiving.complete(SLOTS);
        rx.poll(batch);
        batch.release();
        assertThat(nic.statistics()).containsEntry("rx_ran_dry", 1L).containsEntry("rx_queue_0_ran_dry", 1L);
    }

    @Test
    void whatComesBetweenLookAndSleepIsNotMissed() {
        nic.start();
        receiving.doneWhenArmed = true;
        assertThat(rx.await(Long.MAX_VALUE / 2)).isTrue();
        receiving.doneWhenArmed = false;
        assertThat(rx.await(0)).as("it waits still").isTrue();
        rx.poll(batch);
        batch.release();
        assertThat(rx.await(1)).isFalse();
    }

    @Test
    void moreThanOneQueueIsRefused() {
        assertThatThrownBy(() -> RingNic.open("stub", device, wishes -> card, options.withQueues(1, 2)))
                .isInstanceOf(DeviceException.class).hasMessageContaining("2 transmit queues");
    }

    @Test
    void nothingIsAllocatedForAPacket() {
        nic.start();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().threadId();
        long before = 0;
        int rounds = 20_000;
        for (int i = 0; i < 2 * rounds; i++) {
            if (i == rounds) {
                before = threads.getThreadAllocatedBytes(thread);
            }
            tx.allocate(batch, SLOTS / 2);
            for (int k = 0; k < batch.size(); k++) {
                batch.setLength(k, 60);
            }
            tx.write(batch);
            sending.complete(tx.commit());
            tx.reclaim();
            receiving.complete(SLOTS / 2);
            rx.poll(batch);
            batch.release();
        }
        assertThat((threads.getThreadAllocatedBytes(thread) - before) / (double) rounds).isLessThan(1);
        assertThat(nic.statistics()).containsEntry("rx_packets", 2L * rounds * SLOTS / 2);
    }
}
