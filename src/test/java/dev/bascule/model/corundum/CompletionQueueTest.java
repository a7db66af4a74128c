package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands, arming, overflow and phase tags of CQ and EQ [reference 5.2, 5.3]. */
class CompletionQueueTest {
    private static final int ARMED = 1 << 17;

    private static int sendOne(Rig rig, int index) {
        rig.transmit(index, Rig.frame(60), 0);
        return rig.r(Rig.CQ + 16 + 12) & 0xFFFF;
    }

    @ParameterizedTest
    @ValueSource(ints = { 8, 12 })
    void bothCommandWordsTakeEveryCommand(int word) {
        Rig rig = new Rig();
        int queue = Rig.CQ + 25 * 16;
        rig.commands(queue + word, 0x8002000E, 0xC03A4576, 0x8080641A, 0x809054A4, 0x40000201);
        assertThat(List.of(rig.r(queue + 8), rig.r(queue + 12))).containsExactly(0xE0020006, 0x54A4641A);
        rig.w(queue + word, 0x40000200);
        rig.w(queue + word, 0x809101B9);
        assertThat(List.of(rig.r(queue + 8), rig.r(queue + 12))).containsExactly(0xE0020006, 0x01B9641A);
    }

    @Test
    void anEventQueueStoresFiveBitsOfItsVector() {
        Rig rig = new Rig();
        rig.w(Rig.EQ + 8, 0xC0971F32);
        assertThat(rig.r(Rig.EQ + 8)).isEqualTo(0x12);
    }

    @Test
    void whileEnabledOnlyConsumerArmAndEnableCount() {
        Rig rig = new Rig();
        rig.openCq(2, 4, 1);
        rig.commands(Rig.CQ + 32 + 8, 0x80020007, 0xC0000003, 0x80801111);
        rig.w(Rig.CQ + 32, 0x5000);
        assertThat(rig.r(Rig.CQ + 32 + 8)).isEqualTo(0x40010001);
        assertThat(rig.r(Rig.CQ + 32 + 12)).isZero();
        rig.w(Rig.CQ + 32 + 8, 0x80900007);
        assertThat(rig.r(Rig.CQ + 32 + 12)).isEqualTo(0x00070000);
    }

    @Test
    void theLowBaseTakesItsByteLanesOneByteHigher() {
        Rig rig = new Rig();
        rig.w(Rig.CQ, 0x7762A000);
        rig.w8(Rig.CQ, 0xFD);
        assertThat(rig.r(Rig.CQ)).isEqualTo(0x77620000);
        rig.w8(Rig.CQ + 1, 0x8A);
        assertThat(rig.r(Rig.CQ)).isEqualTo(0x77000000);
        rig.w8(Rig.CQ + 3, 0xD0);
        assertThat(rig.r(Rig.CQ)).isEqualTo(0x77000000);
        rig.w16(Rig.CQ + 2, 0x7601);
        assertThat(rig.r(Rig.CQ)).isEqualTo(0x76000000);
        rig.w16(Rig.CQ, 0xAAE6);
        assertThat(rig.r(Rig.CQ)).isEqualTo(0x7600A000 & 0xFF00FFFF);
        rig.w8(Rig.CQ + 5, 0x18);
        assertThat(rig.r(Rig.CQ + 4)).as("the upper one is not shifted").isEqualTo(0x1800);
    }

    @Test
    void anArmedQueueFiresOnceAndIsUnarmed() {
        Rig rig = new Rig().ready();
        rig.arm(Rig.CQ + 16);
        rig.arm(Rig.EQ);
        rig.transmit(0, Rig.frame(60), 0);
        assertThat(rig.interrupts).containsExactly(0);
        assertThat(rig.r(Rig.CQ + 16 + 8) & ARMED).isZero();
        assertThat(rig.r(Rig.EQ + 8) & ARMED).isZero();
        rig.transmit(1, Rig.frame(60), 0);
        assertThat(rig.interrupts).containsExactly(0);
        assertThat(rig.r(Rig.EQ + 12)).isEqualTo(1);
    }

    @Test
    void armingANonEmptyEnabledQueueFiresAtOnceAndLeavesItUnarmed() {
        Rig rig = new Rig().ready();
        sendOne(rig, 0);
        rig.arm(Rig.CQ + 16);
        assertThat(rig.run()).containsExactly("eq0 100000");
        assertThat(rig.r(Rig.CQ + 16 + 8) & ARMED).isZero();
        rig.arm(Rig.EQ);
        assertThat(rig.run()).containsExactly("irq0");
        assertThat(rig.r(Rig.EQ + 8) & ARMED).isZero();
    }

    @Test
    void acknowledgeAndArmFiresIfSomethingIsLeft() {
        Rig rig = new Rig().ready();
        sendOne(rig, 0);
        sendOne(rig, 1);
        rig.w(Rig.CQ + 16 + 8, 0x80910001);
        assertThat(rig.run()).containsExactly("eq0 100000");
        rig.w(Rig.CQ + 16 + 8, 0x80910002);
        assertThat(rig.run()).isEmpty();
        assertThat(rig.r(Rig.CQ + 16 + 8) & ARMED).isNotZero();
    }

    @Test
    void disarmedStaysSilent() {
        Rig rig = new Rig().ready();
        rig.arm(Rig.CQ + 16);
        rig.w(Rig.CQ + 16 + 8, 0x40000200);
        sendOne(rig, 0);
        assertThat(rig.r(Rig.EQ + 12)).isZero();
    }

    @Test
    void eighteenSendsIntoAnUnacknowledged16EntryCqGive16Completions() {
        Rig rig = new Rig().ready();
        rig.openCq(1, 4, 0);
        for (int i = 0; i < 18; i++) {
            sendOne(rig, i);
        }
        assertThat(rig.r(Rig.CQ + 16 + 12)).isEqualTo(16);
        assertThat(rig.r(Rig.TXQ + 16)).isEqualTo(0x00120012);
        rig.w(Rig.CQ + 16 + 8, 0x80900010);
        rig.run();
        assertThat(rig.r(Rig.CQ + 16 + 12)).as("lost for good").isEqualTo(0x00100010);
        assertThat(rig.device.dropped()).isEqualTo(2);
    }

    @Test
    void aConsumerAheadOfTheProducerLooksFull() {
        Rig rig = new Rig().ready();
        rig.w(Rig.CQ + 16 + 8, 0x80900001);
        assertThat(sendOne(rig, 0)).isZero();
    }

    @Test
    void aCompletionForADisabledQueueIsLostAndTheArmStays() {
        Rig rig = new Rig().ready();
        rig.arm(Rig.CQ + 16);
        rig.w(Rig.CQ + 16 + 8, 0x40000100);
        sendOne(rig, 0);
        assertThat(rig.r(Rig.CQ + 16 + 8) & ARMED).isNotZero();
        rig.w(Rig.CQ + 16 + 8, 0x40000101);
        assertThat(rig.run()).isEmpty();
        assertThat(sendOne(rig, 1)).isEqualTo(1);
    }

    @Test
    void anEventForADisabledQueueIsLostWithTheArmOfItsCq() {
        Rig rig = new Rig().ready();
        rig.arm(Rig.CQ + 16);
        rig.arm(Rig.EQ);
        rig.w(Rig.EQ + 8, 0x40000100);
        sendOne(rig, 0);
        assertThat(rig.r(Rig.CQ + 16 + 8) & ARMED).as("CQ").isZero();
        assertThat(rig.r(Rig.EQ + 8) & ARMED).as("EQ").isNotZero();
        assertThat(rig.r(Rig.EQ + 12)).isZero();
        assertThat(rig.interrupts).isEmpty();
    }

    @Test
    void thePhaseTagIsOneOnTheFirstPassAndZeroOnTheSecond() {
        Rig rig = new Rig().ready();
        rig.openCq(1, 2, 0);
        for (int i = 0; i < 12; i++) {
            sendOne(rig, i);
            byte[] record = rig.get(Rig.CQ_RING + 0x1_0000 + (i & 3) * 32L, 32);
            assertThat(record[31]).as("record %d", i).isEqualTo((byte) (i / 4 % 2 == 0 ? 0x80 : 0));
            rig.w(Rig.CQ + 16 + 8, 0x80900000 | i + 1);
        }
    }

    @Test
    void thePhaseFollowsThePointerWhereverItStarts() {
        Rig rig = new Rig().ready();
        rig.commands(Rig.CQ + 16 + 8, 0x40000100, 0x80020003, 0x8080FFFB, 0x8090FFFB, 0x40000101);
        for (int i = 0; i < 8; i++) {
            sendOne(rig, i);
            int pointer = 0xFFFB + i & 0xFFFF;
            byte tag = rig.get(Rig.CQ_RING + 0x1_0000 + (pointer & 7) * 32L, 32)[31];
            assertThat(tag).as("pointer %x", pointer).isEqualTo((byte) ((pointer >> 3 & 1) == 0 ? 0x80 : 0));
        }
        assertThat(rig.r(Rig.CQ + 16 + 12) & 0xFFFF).isEqualTo(3);
    }

    @Test
    void completionIndexIsTheRawPointer() {
        Rig rig = new Rig().ready();
        for (int i = 0; i < 17; i++) {
            sendOne(rig, i);
        }
        assertThat(rig.hex(Rig.CQ_RING + 0x1_0000 + 16 * 32, 6)).isEqualTo("000010003c00");
    }

    @Test
    void severalCompletionQueuesShareAnEventQueue() {
        Rig rig = new Rig().ready();
        rig.post(4, 2048);
        rig.arm(Rig.CQ);
        rig.arm(Rig.CQ + 16);
        rig.receive(0, Rig.frame(60));
        rig.transmit(0, Rig.frame(60), 0);
        assertThat(rig.r(Rig.EQ + 12)).isEqualTo(2);
        assertThat(List.of(rig.hex(Rig.EQ_RING, 4), rig.hex(Rig.EQ_RING + 32, 4)))
                .containsExactlyInAnyOrder("00000000", "00000100");
    }

    @Test
    void theVectorOfAnEventQueueIsTheInterruptRaised() {
        Rig rig = new Rig().ready();
        rig.openEq(3, 4, 5);
        rig.openCq(1, 4, 3);
        rig.arm(Rig.EQ + 48);
        rig.arm(Rig.CQ + 16);
        sendOne(rig, 0);
        assertThat(rig.interrupts).containsExactly(5);
        assertThat(rig.hex(Rig.EQ_RING + 3 * 0x1_0000, 32)).isEqualTo("00000100" + "00".repeat(27) + "80");
    }
}
