package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands and pointers of TX and RX queues [reference 5.1]. */
class WorkQueueTest {
    @ParameterizedTest
    @ValueSource(ints = { Rig.TXQ, Rig.RXQ, Rig.TXQ + 31 * 32 })
    void allStateResetsToZero(int queue) {
        Rig rig = new Rig();
        for (int word = 0; word < 8; word++) {
            assertThat(rig.r(queue + 4 * word)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 8, 12, 16 })
    void allThreeCommandWordsTakeEveryCommand(int word) {
        Rig rig = new Rig();
        int queue = Rig.TXQ + 5 * 32;
        rig.commands(queue + word, 0x80020207, 0xC0000012, 0x80801234, 0x80905678, 0x40000101);
        assertThat(List.of(rig.r(queue + 8), rig.r(queue + 12), rig.r(queue + 16))).containsExactly(1, 0x27000012,
                0x56781234);
    }

    @Test
    void sizeProbeReadsBackAnEightDescriptorBlock() {
        Rig rig = new Rig();
        rig.w(Rig.TXQ + 8, 0x8002FF00);
        assertThat(rig.r(Rig.TXQ + 12)).isEqualTo(0x30000000);
    }

    @Test
    void baseDropsTheLowTwelveBitsAndWhatTheDesignDoesNotAddress() {
        Rig rig = new Rig();
        rig.w(Rig.RXQ, 0x11223FFF);
        rig.w(Rig.RXQ + 4, 0x55667788);
        assertThat(rig.r(Rig.RXQ)).isEqualTo(0x11223000);
        assertThat(rig.r(Rig.RXQ + 4)).as("49 address bits").isEqualTo(0x7788);
        Rig wide = new Rig(Rig.small().dmaAddressBits(64).build());
        wide.w(Rig.RXQ + 4, 0x55667788);
        assertThat(wide.r(Rig.RXQ + 4)).isEqualTo(0x55667788);
    }

    @Test
    void baseHonoursByteLanesAndCommandsDoNot() {
        Rig rig = new Rig();
        rig.w(Rig.TXQ, 0xDF668000);
        rig.w8(Rig.TXQ + 1, 0xA5);
        assertThat(rig.r(Rig.TXQ)).isEqualTo(0xDF66A000);
        rig.w16(Rig.TXQ + 2, 0x624F);
        assertThat(rig.r(Rig.TXQ)).isEqualTo(0x624FA000);
        rig.w(Rig.TXQ + 8, 0xC0000015);
        rig.w16(Rig.TXQ + 10, 0xC000);
        assertThat(rig.r(Rig.TXQ + 12)).as("the upper half alone is the whole command").isZero();
    }

    @Test
    void disabledOnlyWritesAreDroppedWhileEnabled() {
        Rig rig = new Rig();
        rig.openTxq(0, 4, 1, 3);
        int[] before = { rig.r(Rig.TXQ), rig.r(Rig.TXQ + 4), rig.r(Rig.TXQ + 12), rig.r(Rig.TXQ + 16) };
        rig.commands(Rig.TXQ + 8, 0x80020003, 0xC0000007, 0x80900009);
        rig.w(Rig.TXQ, 0x77777000);
        rig.w(Rig.TXQ + 4, 0x77);
        assertThat(new int[] { rig.r(Rig.TXQ), rig.r(Rig.TXQ + 4), rig.r(Rig.TXQ + 12), rig.r(Rig.TXQ + 16) })
                .isEqualTo(before);
    }

    @Test
    void disablingKeepsThePointers() {
        Rig rig = new Rig().ready();
        rig.transmit(0, Rig.frame(60), 0);
        rig.w(Rig.TXQ + 8, 0x40000100);
        assertThat(rig.r(Rig.TXQ + 16)).isEqualTo(0x00010001);
        assertThat(rig.r(Rig.TXQ + 8)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 0x40000000, 0x40000201, 0x80000001, 0x8001FFFF, 0x80030001, 0x80810001, 0x80910002,
            0x80A00001, 0x101, -1, 0x7FFFFFFF })
    void anythingElseIsNoCommand(int value) {
        Rig rig = new Rig();
        rig.w(Rig.RXQ + 8, value);
        assertThat(List.of(rig.r(Rig.RXQ + 8), rig.r(Rig.RXQ + 12), rig.r(Rig.RXQ + 16))).containsExactly(0, 0, 0);
    }

    @Test
    void enableIsTheLowestBitOfItsArgument() {
        Rig rig = new Rig();
        rig.w(Rig.TXQ + 8, 0x400001FF);
        assertThat(rig.r(Rig.TXQ + 8)).isEqualTo(1);
        rig.w(Rig.TXQ + 8, 0x400001FE);
        assertThat(rig.r(Rig.TXQ + 8)).isZero();
    }

    @Test
    void enablingRingsNoDoorbellAndTheNextProducerWriteDrainsEverything() {
        Rig rig = new Rig().ready();
        rig.transmitDescriptor(0, 0, Rig.frame(60), 0);
        rig.transmitDescriptor(0, 1, Rig.frame(61), 0);
        rig.w(Rig.TXQ + 8, 0x40000100);
        rig.producer(Rig.TXQ, 1);
        rig.w(Rig.TXQ + 8, 0x40000101);
        assertThat(rig.run()).isEmpty();
        rig.producer(Rig.TXQ, 2);
        assertThat(rig.run()).filteredOn(line -> line.startsWith("wire")).containsExactly("wire0 60", "wire0 61");
    }

    @Test
    void theSameProducerAgainDoesNothing() {
        Rig rig = new Rig().ready();
        rig.transmit(0, Rig.frame(60), 0);
        rig.producer(Rig.TXQ, 1);
        assertThat(rig.run()).isEmpty();
    }

    @Test
    void aProducerMovedBackwardsLeavesNearly64KStaleSlots() {
        Rig rig = new Rig().ready();
        for (int i = 0; i < 16; i++) {
            rig.transmitDescriptor(0, i, Rig.frame(60), 0);
        }
        rig.producer(Rig.TXQ, 2);
        rig.run();
        rig.producer(Rig.TXQ, 1);
        assertThat(rig.run()).filteredOn(line -> line.startsWith("wire")).hasSize(65535);
        assertThat(rig.r(Rig.TXQ + 16)).isEqualTo(0x00010001);
    }

    @Test
    void addressesWrapWithTheRingAndPointersAt16Bits() {
        Rig rig = new Rig().ready();
        rig.commands(Rig.TXQ + 8, 0x40000100, 0x80020102, 0x8080FFFE, 0x8090FFFE, 0x40000101);
        rig.put(Rig.BUFFERS, Rig.frame(60));
        for (int i = 0; i < 4; i++) {
            rig.descriptor(Rig.TX_RING + i * 32L, 0, 60, Rig.BUFFERS);
        }
        rig.producer(Rig.TXQ, 1);
        assertThat(rig.run()).filteredOn(line -> line.contains("desc")).containsExactly("tx0 desc 400040 32",
                "tx0 desc 400060 32", "tx0 desc 400000 32");
        assertThat(rig.r(Rig.TXQ + 16)).isEqualTo(0x00010001);
    }

    @Test
    void aRingOfOneEntryWorks() {
        Rig rig = new Rig().ready();
        rig.openTxq(0, 0, 0, 1);
        rig.put(Rig.BUFFERS, Rig.frame(60));
        rig.descriptor(Rig.TX_RING, 0, 60, Rig.BUFFERS);
        rig.producer(Rig.TXQ, 3);
        assertThat(rig.run()).filteredOn(line -> line.contains("desc")).hasSize(3)
                .containsOnly("tx0 desc 400000 16");
    }

    @Test
    void behindTheLastQueueTheFirstShowsAgain() {
        Rig rig = new Rig();
        rig.w(Rig.TXQ + 32 + 8, 0xC0000009);
        assertThat(rig.r(Rig.TXQ + 33 * 32 + 12)).isEqualTo(9);
        rig.w(Rig.EQ + 16 + 8, 0x80020004);
        assertThat(rig.r(Rig.EQ + 9 * 16 + 8)).isEqualTo(0x40000000);
    }
}
