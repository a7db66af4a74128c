package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Descriptors to wire to completion [reference 5.3, 7, 17]. */
class TransmitTest {
    private static final int ENABLE = 0x8000;

    /** One's-complement sum in the plain way. */
    private static int plainSum(byte[] data, int start) {
        int sum = 0;
        for (int i = start; i < data.length; i += 2) {
            sum += (data[i] & 0xFF) << 8 | (i + 1 < data.length ? data[i + 1] & 0xFF : 0);
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        return sum;
    }

    @Test
    void onePacketIsOneBlockReadOneReadPerFragmentWireThenCompletion() {
        Rig rig = new Rig().ready();
        rig.openTxq(0, 4, 2, 1);
        rig.descriptor(Rig.TX_RING, 0, 10, 0x10001);
        rig.descriptor(Rig.TX_RING + 16, 0, 0, 0x20000);
        rig.descriptor(Rig.TX_RING + 32, 0, 50, 0x3000F);
        rig.descriptor(Rig.TX_RING + 48, 0, 4, 0x40FFE);
        rig.arm(Rig.CQ + 16);
        rig.arm(Rig.EQ);
        rig.producer(Rig.TXQ, 1);
        assertThat(rig.run()).containsExactly("tx0 desc 400000 64", "tx0 data 10001 10", "tx0 data 3000f 50",
                "tx0 data 40ffe 4", "wire0 64", "cq1 210000", "eq0 100000", "irq0");
    }

    @Test
    void fragmentsAreJoinedInOrder() {
        Rig rig = new Rig().ready();
        rig.openTxq(0, 4, 1, 1);
        byte[] frame = Rig.frame(100);
        rig.put(0x5003, Arrays.copyOf(frame, 33));
        rig.put(0x6FFF, Arrays.copyOfRange(frame, 33, 100));
        rig.descriptor(Rig.TX_RING, 0, 33, 0x5003);
        rig.descriptor(Rig.TX_RING + 16, 0, 67, 0x6FFF);
        rig.producer(Rig.TXQ, 1);
        rig.run();
        assertThat(rig.sent).hasSize(1);
        assertThat(rig.sent.get(0)).isEqualTo(frame);
    }

    @Test
    void theCompletionSaysQueuePointerLengthAndDestination() {
        Rig rig = new Rig().ready();
        rig.w(0x17C, 0);
        rig.w(0x154, 0x01020304);
        rig.w(0x158, 0x55667788);
        rig.w(0x15C, 0);
        rig.w16(Rig.SCHEDULER0 + 0x24, 0x0011);
        rig.transmit(0, Rig.frame(300), 0);
        assertThat(rig.hex(Rig.CQ_RING + 0x1_0000, 32)).isEqualTo("00000000" + "2c01" + "0000" + "04030201" + "8877"
                + "0000" + "00000000" + "00" + "11" + "000000000000000000" + "80");
        assertThat(rig.sentPorts).containsExactly(1);
    }

    @Test
    void oneByteIsAFrame() {
        assertThat(new Rig().ready().transmit(0, new byte[] { 42 }, 0)).containsExactly(42);
    }

    @Test
    void moreThanTheMaximumIsReadInFullAndCut() {
        Rig rig = new Rig().ready();
        rig.openTxq(0, 4, 1, 1);
        rig.put(0x100_0000, Rig.frame(9000));
        rig.descriptor(Rig.TX_RING, 0, 9000, 0x100_0000);
        rig.descriptor(Rig.TX_RING + 16, 0, 65535, 0x200_0000);
        rig.producer(Rig.TXQ, 1);
        assertThat(rig.run()).contains("tx0 data 2000000 65535", "wire0 9214");
        assertThat(rig.hex(Rig.CQ_RING + 0x1_0000 + 4, 2)).isEqualTo("fe23");
        assertThat(Arrays.copyOf(rig.sent.get(0), 9000)).isEqualTo(Rig.frame(9000));
    }

    @Test
    void theTxMtuRegisterChangesNothing() {
        Rig rig = new Rig().ready();
        rig.w(0x80028, 100);
        assertThat(rig.transmit(0, Rig.frame(1500), 0)).hasSize(1500);
    }

    @Test
    void aPacketWithoutAnyByteStopsTransmittingUntilReset() {
        Rig rig = new Rig().ready();
        rig.descriptor(Rig.TX_RING, 0, 0, 0x1000);
        rig.producer(Rig.TXQ, 1);
        assertThat(rig.run()).containsExactly("tx0 desc 400000 16");
        assertThat(rig.device.isTransmitWedged()).isTrue();
        assertThat(rig.transmit(1, Rig.frame(60), 0)).isEmpty();
        rig.post(1, 2048);
        rig.receive(0, Rig.frame(60));
        assertThat(rig.run()).as("receiving goes on").hasSize(3);
        rig.device.reset();
        rig.ready();
        assertThat(rig.transmit(0, Rig.frame(60), 0)).hasSize(60);
    }

    @ParameterizedTest
    @CsvSource({ "14, 10", "34, 6", "34, 16", "15, 4", "15, 5", "0, 0", "1, 0", "59, 0", "127, 127" })
    void theSumFromTheStartWithTheFieldGoesInvertedIntoTheField(int start, int offset) {
        for (int length : new int[] { 60, 61, 300, 301 }) {
            byte[] frame = Rig.frame(length);
            byte[] sent = new Rig().ready().transmit(0, frame, ENABLE | offset << 8 | start);
            byte[] expected = frame.clone();
            int sum = ~plainSum(frame, start);
            if (start < length && start + offset < length) {
                expected[start + offset] = (byte) (sum >> 8);
            }
            if (start < length && start + offset + 1 < length) {
                expected[start + offset + 1] = (byte) sum;
            }
            assertThat(sent).as("length %d", length).isEqualTo(expected);
        }
    }

    @Test
    void bitSevenOfTheStartIsIgnored() {
        byte[] frame = Rig.frame(64);
        assertThat(new Rig().ready().transmit(0, frame, ENABLE | 34 << 8 | 142))
                .isEqualTo(new Rig().ready().transmit(0, frame, ENABLE | 34 << 8 | 14));
    }

    @Test
    void aFieldBeyondTheFrameLeavesItUnchanged() {
        byte[] frame = Rig.frame(64);
        assertThat(new Rig().ready().transmit(0, frame, ENABLE | 50 << 8 | 14)).isEqualTo(frame);
        assertThat(new Rig().ready().transmit(0, frame, ENABLE | 64)).isEqualTo(frame);
    }

    @Test
    void ifOnlyTheFirstByteOfTheFieldIsInsideThatOneIsWritten() {
        byte[] frame = Rig.frame(64);
        byte[] sent = new Rig().ready().transmit(0, frame, ENABLE | 49 << 8 | 14);
        byte[] expected = frame.clone();
        expected[63] = (byte) (~plainSum(frame, 14) >> 8);
        assertThat(sent).isEqualTo(expected);
    }

    @Test
    void aZeroResultStaysZero() {
        byte[] frame = new byte[64];
        frame[20] = (byte) 0xFF;
        frame[21] = (byte) 0xFF;
        byte[] sent = new Rig().ready().transmit(0, frame, ENABLE | 10 << 8 | 14);
        assertThat(sent[24]).isZero();
        assertThat(sent[25]).isZero();
    }

    @Test
    void withoutTheEnableBitNothingIsInserted() {
        byte[] frame = Rig.frame(64);
        assertThat(new Rig().ready().transmit(0, frame, 10 << 8 | 14)).isEqualTo(frame);
    }

    @Test
    void aDisabledPortKeepsTheFrameAndItsCompletionUntilEnabled() {
        Rig rig = new Rig().ready();
        rig.w(Rig.PORT0 + 0x10, 0);
        rig.transmitDescriptor(0, 0, Rig.frame(60), 0);
        rig.producer(Rig.TXQ, 1);
        assertThat(rig.run()).containsExactly("tx0 desc 400000 16", "tx0 data 100000000 60");
        assertThat(rig.r(Rig.TXQ + 16)).isEqualTo(0x00010001);
        rig.w(Rig.PORT0 + 0x10, 1);
        assertThat(rig.run()).containsExactly("wire0 60", "cq1 210000");
    }

    @Test
    void completionsWaitForTheReportOfTheMac() {
        Rig rig = new Rig().ready();
        rig.device.setHoldTransmitReports(0, true);
        rig.transmitDescriptor(0, 0, Rig.frame(60), 0);
        rig.producer(Rig.TXQ, 1);
        assertThat(rig.run()).last().isEqualTo("wire0 60");
        rig.device.setHoldTransmitReports(0, false);
        assertThat(rig.run()).containsExactly("cq1 210000");
    }

    @Test
    void addressesAreCutToTheWidthOfTheDesign() {
        Rig rig = new Rig().ready();
        rig.descriptor(Rig.TX_RING, 0, 60, 0xFFFE_0000_1234_5678L);
        rig.producer(Rig.TXQ, 1);
        assertThat(rig.run()).contains("tx0 data 12345678 60");
    }

    @Test
    void memoryThatDoesNotAnswerLosesTheBlockOrZeroesTheFragment() {
        Rig rig = new Rig().ready();
        rig.faulty = address -> address == Rig.TX_RING;
        rig.transmitDescriptor(0, 0, Rig.frame(60), 0);
        rig.transmitDescriptor(0, 1, Rig.frame(61), 0);
        rig.producer(Rig.TXQ, 2);
        assertThat(rig.run()).contains("wire0 61").doesNotContain("wire0 60");
        rig.faulty = address -> address >= Rig.BUFFERS;
        assertThat(rig.transmit(2, Rig.frame(60), 0)).isEqualTo(new byte[60]);
        assertThat(rig.device.dmaFaults()).isEqualTo(2);
    }

    @Test
    void statisticsCountOperationsAndBytes() {
        Rig rig = new Rig().ready();
        rig.transmit(0, Rig.frame(100), 0);
        rig.post(1, 2048);
        rig.receive(0, Rig.frame(70));
        rig.run();
        assertThat(rig.r(0x10100)).as("reads: two blocks, one fragment").isEqualTo(3);
        assertThat(rig.r(0x10108)).isEqualTo(16 + 16 + 100);
        assertThat(rig.r(0x10180)).as("writes: data, two completions").isEqualTo(3);
        assertThat(rig.r(0x10188)).isEqualTo(70 + 32 + 32);
        assertThat(rig.r(0x10104)).isZero();
        rig.w(0x10100, 0);
        assertThat(rig.r(0x10100)).as("read-only, never cleared").isEqualTo(3);
    }

    @Test
    void aLoopedFrameComesBackWithItsSumVerified() {
        Rig rig = new Rig().ready();
        rig.loopback = true;
        rig.post(1, 2048);
        byte[] frame = Rig.ipv4(17, 5, 64);
        frame[40] = 0;
        frame[41] = 0;
        byte[] sent = rig.transmit(0, frame, ENABLE | 26 << 8 | 14);
        assertThat(plainSum(sent, 14)).isEqualTo(0xFFFF);
        assertThat(rig.hex(Rig.CQ_RING + 14, 2)).isEqualTo("ffff");
        assertThat(rig.get(Rig.BUFFERS + 0x8000_0000L, 64)).isEqualTo(sent);
    }
}
