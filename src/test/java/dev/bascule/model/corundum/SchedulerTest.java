package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scheduler of May 2024 [reference 7, 17]. */
class SchedulerTest {
    private static final int CONTROL = Rig.SCHEDULER0 + 0x18;
    private static final int CHANNEL = Rig.SCHEDULER0 + 0x20;
    private static final int WORD0 = Rig.SCHED_QUEUES;
    private static final int IDLE = 0x00040001;

    private final Rig rig = new Rig();

    @BeforeEach
    void getReady() {
        rig.ready();
        for (int queue = 0; queue < 8; queue++) {
            rig.openCq(8 + queue, 5, 0);
            rig.openTxq(queue, 4, 0, 8 + queue);
            rig.w(WORD0 + queue * 4L, 0x40000101);
            for (int i = 0; i < 16; i++) {
                rig.transmitDescriptor(queue, i, Rig.frame(60 + queue), 0);
            }
        }
        rig.run();
    }

    private void bell(int queue, int producer) {
        rig.producer(Rig.TXQ + queue * 32, producer);
    }

    /** The queues whose frames were sent, in order. */
    private List<Integer> order() {
        return rig.run().stream().filter(line -> line.startsWith("wire"))
                .map(line -> Integer.parseInt(line.substring(6)) - 60).toList();
    }

    @Test
    void registersResetAsTheRtl() {
        Rig fresh = new Rig();
        assertThat(List.of(fresh.r(Rig.SCHEDULER0 + 0x1C), fresh.r(CHANNEL), fresh.r(CHANNEL + 4), fresh.r(CHANNEL + 8),
                fresh.r(CHANNEL + 12))).containsExactly(0x00060101, 0, 0x00010000, 0x00FF0090, 0x90);
        assertThat(fresh.r(Rig.SCHEDULER1 + 0x24)).as("second scheduler, port 1").isEqualTo(0x00010010);
        assertThat(fresh.r(WORD0)).isZero();
    }

    @Test
    void enableAloneGives48AndPauseAddsItsBits() {
        assertThat(rig.r(WORD0)).isEqualTo(0x48);
        rig.w(WORD0, 0x40000201);
        assertThat(rig.r(WORD0)).isEqualTo(0xD8);
        rig.w(WORD0, 0x40000100);
        assertThat(rig.r(WORD0)).isEqualTo(0x90);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0x80010001, 0x80020001, 0x80030001, 0x8002FF01, 0xC0000001, 0x80800001, 0x80900001, 0, -1,
            3 })
    void otherCommandsAreAcceptedAndIgnored(int command) {
        rig.w(WORD0, command);
        assertThat(rig.r(WORD0)).isEqualTo(0x48);
    }

    @Test
    void aDoorbellMakesAQueueActiveThatTheSchedulerHasDisabled() {
        rig.w(WORD0, 0x40000100);
        bell(0, 1);
        assertThat(rig.run()).isEmpty();
        assertThat(rig.r(WORD0)).isEqualTo(0x4000);
        rig.w(WORD0, 0x40000101);
        assertThat(order()).containsExactly(0);
        assertThat(rig.r(WORD0)).as("the empty dequeue cleared it").isEqualTo(0x48);
    }

    @Test
    void schedulerOffLeavesTheQueueScheduledAndTheChannelPrimed() {
        rig.w(CONTROL, 0);
        bell(0, 1);
        assertThat(rig.run()).isEmpty();
        assertThat(List.of(rig.r(WORD0), rig.r(CONTROL), rig.r(CHANNEL))).containsExactly(0x4068, 0x10000, 0xC0001);
        rig.w(CONTROL, 1);
        assertThat(order()).containsExactly(0);
        assertThat(List.of(rig.r(WORD0), rig.r(CONTROL), rig.r(CHANNEL))).containsExactly(0x48, 1, IDLE);
    }

    @Test
    void channelOffHasNoCredit() {
        rig.w(CHANNEL, 0);
        bell(0, 1);
        assertThat(rig.run()).isEmpty();
        assertThat(List.of(rig.r(CONTROL), rig.r(CHANNEL))).containsExactly(0x10001, 0x80000);
        rig.w(CHANNEL, 1);
        assertThat(order()).containsExactly(0);
    }

    @Test
    void pauseHoldsAndResumesWithoutADoorbell() {
        rig.w(WORD0, 0x40000201);
        bell(0, 2);
        assertThat(rig.run()).isEmpty();
        assertThat(rig.r(WORD0)).isEqualTo(0x40D8);
        rig.w(WORD0, 0x40000200);
        assertThat(order()).containsExactly(0, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0x10, 0x17, 0 })
    void aDataLimitBelowTheBudgetBlocksAndLiftingItResumes(int limit) {
        rig.w(CHANNEL + 8, 0x00FF0018);
        rig.w(CHANNEL + 12, limit);
        assertThat(rig.r(CHANNEL)).isEqualTo(1);
        bell(0, 1);
        assertThat(rig.run()).isEmpty();
        assertThat(rig.r(CHANNEL)).isEqualTo(0x80001);
        rig.w(CHANNEL + 12, 0x18);
        assertThat(order()).containsExactly(0);
    }

    @Test
    void aPacketLimitOfZeroBlocks() {
        rig.w16(CHANNEL + 10, 0);
        bell(0, 1);
        assertThat(rig.run()).isEmpty();
        rig.w16(CHANNEL + 10, 1);
        assertThat(order()).containsExactly(0);
    }

    @Test
    void packetsInFlightAreLimited() {
        rig.w(CHANNEL + 8, 0x00020002);
        rig.w(CHANNEL + 12, 0x10);
        rig.device.setHoldTransmitReports(0, true);
        bell(0, 5);
        assertThat(order()).containsExactly(0, 0);
        assertThat(List.of(rig.r(WORD0), rig.r(CONTROL), rig.r(CHANNEL))).containsExactly(0x4068, 0x10001, 0x90001);
        rig.device.setHoldTransmitReports(0, false);
        assertThat(order()).containsExactly(0, 0, 0);
        assertThat(rig.r(CHANNEL)).isEqualTo(IDLE);
    }

    @Test
    void creditsInFlightAreLimitedIn64ByteUnits() {
        rig.w(CHANNEL + 8, 0x00FF0001);
        rig.w(CHANNEL + 12, 4);
        rig.device.setHoldTransmitReports(0, true);
        bell(4, 10); // 64 bytes, one credit each
        assertThat(order()).hasSize(4);
        rig.device.setHoldTransmitReports(0, false);
        rig.run();
        rig.device.setHoldTransmitReports(0, true);
        bell(5, 10); // 65 bytes, two credits
        assertThat(order()).hasSize(2);
    }

    @Test
    void aDisabledPortShowsThePacketInFlight() {
        rig.w(Rig.PORT0 + 0x10, 0);
        bell(0, 1);
        rig.run();
        assertThat(List.of(rig.r(WORD0), rig.r(CONTROL), rig.r(CHANNEL))).containsExactly(0x4068, 0x10001, 0x90001);
        rig.w(Rig.PORT0 + 0x10, 1);
        rig.run();
        assertThat(List.of(rig.r(WORD0), rig.r(CONTROL), rig.r(CHANNEL))).containsExactly(0x48, 1, IDLE);
    }

    @Test
    void roundRobinTakesOneFrameATurnInTheOrderOfActivation() {
        rig.w(CONTROL, 0);
        bell(3, 3);
        bell(1, 2);
        bell(7, 1);
        rig.run();
        rig.w(CONTROL, 1);
        assertThat(order()).containsExactly(3, 1, 7, 3, 1, 3);
    }

    @Test
    void theFirstQueuesTurnBeginsWithItsDoorbell() {
        bell(3, 1);
        bell(3, 2);
        bell(3, 3);
        bell(5, 1);
        bell(1, 1);
        assertThat(order()).as("as captured").containsExactly(3, 3, 5, 1, 3);
        bell(4, 1);
        bell(0, 1);
        bell(4, 2);
        assertThat(order()).containsExactly(4, 4, 0);
    }

    @Test
    void whereTheRotationStartsCanBeSaidForWhatWaitedWhileOff() {
        rig.w(CONTROL, 0);
        for (int queue : new int[] { 0, 1, 2, 3 }) {
            bell(queue, 1);
        }
        rig.run();
        rig.w(CONTROL, 1);
        rig.device.arrangeBacklog(new int[] { 2, 3, 99, -1, 0 });
        assertThat(order()).containsExactly(2, 3, 0, 1);
    }

    @Test
    void whatCameWhileOnIsNotRearranged() {
        rig.w(Rig.PORT0 + 0x10, 0);
        for (int queue : new int[] { 0, 1, 2, 3 }) {
            bell(queue, 1);
        }
        rig.run();
        rig.device.arrangeBacklog(new int[] { 3, 2, 1 });
        rig.w(Rig.PORT0 + 0x10, 1);
        assertThat(order()).containsExactly(0, 1, 2, 3);
    }

    @Test
    void destinationChoosesThePortAndIsRepeatedInTheCompletion() {
        for (int destination : new int[] { 0x00, 0x10, 0x11, 0x01 }) {
            rig.w16(CHANNEL + 4, destination);
            rig.sentPorts.clear();
            bell(0, (rig.r(Rig.TXQ + 16) & 0xFFFF) + 1);
            rig.run();
            assertThat(rig.sentPorts).containsExactly(destination >> 4);
            int index = (rig.r(Rig.CQ + 8 * 16 + 12) & 0xFFFF) - 1;
            assertThat(rig.get(Rig.CQ_RING + 8 * 0x1_0000 + index * 32L, 32)[21]).isEqualTo((byte) destination);
        }
    }

    @Test
    void twoSchedulersShareTheQueues() {
        rig.w(WORD0 + 4, 0x40000100);
        rig.w(0xA00004, 0x40000101);
        rig.w(Rig.SCHEDULER1 + 0x20, 1);
        rig.w(Rig.SCHEDULER1 + 0x18, 1);
        bell(0, 1);
        bell(1, 1);
        rig.run();
        assertThat(rig.sentPorts).containsExactlyInAnyOrder(0, 1);
        assertThat(rig.r(0xA00000)).as("active where it is disabled").isEqualTo(0x4000);
        assertThat(rig.r(WORD0 + 4)).isEqualTo(0x4000);
    }

    @Test
    void halvesOfTheChannelWordsAreWrittenSeparately() {
        rig.w(CHANNEL + 8, 0x380AACF9);
        rig.w16(CHANNEL + 8, 0x2F4E);
        assertThat(rig.r(CHANNEL + 8)).isEqualTo(0x000A034E);
        rig.w16(CHANNEL + 10, 0xA628);
        assertThat(rig.r(CHANNEL + 8)).isEqualTo(0x0028034E);
        rig.w8(CHANNEL + 9, 0xB3);
        assertThat(rig.r(CHANNEL + 8)).isEqualTo(0x00280300);
        rig.w8(CHANNEL + 11, 0xEB);
        assertThat(rig.r(CHANNEL + 8)).isEqualTo(0x00000300);
        rig.w16(CHANNEL + 4, 0x781D);
        rig.w16(CHANNEL + 6, 0x23AD);
        assertThat(rig.r(CHANNEL + 4)).isEqualTo(0x0001001D);
        rig.w16(CHANNEL + 12, 0xB484);
        rig.w16(CHANNEL + 14, 0x28A7);
        assertThat(rig.r(CHANNEL + 12)).as("the data limit is written as a whole").isEqualTo(0x30000);
    }

    @Test
    void aFullTransmitFifoMakesTheSchedulerWait() {
        rig.w(CHANNEL + 8, 0x00FF0001);
        rig.w(CHANNEL + 12, 0x3FFFF);
        rig.w(Rig.PORT0 + 0x10, 0);
        long buffer = 0x7_0000_0000L;
        rig.put(buffer, Rig.frame(9000));
        for (int i = 0; i < 16; i++) {
            rig.descriptor(Rig.TX_RING + i * 16L, 0, 9000, buffer);
        }
        bell(0, 10);
        rig.run();
        assertThat(rig.r(Rig.TXQ + 16) >>> 16).isLessThanOrEqualTo(3);
        rig.w(Rig.PORT0 + 0x10, 1);
        rig.run();
        assertThat(rig.sent).hasSize(10);
    }
}
