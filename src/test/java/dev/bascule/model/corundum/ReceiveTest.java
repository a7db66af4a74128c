package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.config.ModelTiming;
import dev.bascule.nic.corundum.MqnicFormats;
import dev.bascule.nic.corundum.MqnicRegisters;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Wire to buffers to completion [reference 5.3, 6, 17]. */
class ReceiveTest {
    private static final long BUFFER = Rig.BUFFERS + 0x8000_0000L;

    private static String completion(Rig rig, int index) {
        return rig.hex(Rig.CQ_RING + index * 32L, 32);
    }

    private static int hash(byte[] frame) {
        RxHash hash = new RxHash(ModelTiming.IMMEDIATE);
        hash.compute(frame, 0, frame.length);
        return hash.hash;
    }

    private static int type(byte[] frame) {
        RxHash hash = new RxHash(ModelTiming.IMMEDIATE);
        hash.compute(frame, 0, frame.length);
        return hash.type;
    }

    /** Toeplitz bit by bit, as its definition says. */
    private static int plainToeplitz(byte[] input) {
        byte[] key = HexFormat.of().parseHex(MqnicFormats.HASH_KEY);
        int result = 0;
        for (int bit = 0; bit < input.length * 8; bit++) {
            if ((input[bit / 8] >> 7 - bit % 8 & 1) != 0) {
                for (int k = 0; k < 32; k++) {
                    int at = bit + k;
                    result ^= (key[at / 8] >> 7 - at % 8 & 1) << 31 - k;
                }
            }
        }
        return result;
    }

    @Test
    void orderIsDescriptorDataCompletionEventInterrupt() {
        Rig rig = new Rig().ready();
        rig.post(1, 2048);
        rig.arm(Rig.CQ);
        rig.arm(Rig.EQ);
        rig.receive(0, Rig.frame(60));
        assertThat(rig.run()).containsExactly("rx0 desc 600000 16", "rx0 data 180000000 60", "cq0 200000",
                "eq0 100000", "irq0");
    }

    @Test
    void theGoldenCompletionAndEventOfTheRtlByteByByte() {
        Rig rig = new Rig().ready();
        rig.w(0x17C, 0); // the clock stands still
        rig.w(0x178, 0);
        rig.nanos += 100_000;
        rig.w(0x154, 0x000161F9);
        rig.w(0x158, 0);
        rig.w(0x15C, 0);
        rig.w(0x16C, 0);
        rig.post(1, 2048);
        rig.arm(Rig.CQ);
        byte[] frame = new byte[64];
        System.arraycopy(Rig.ipv4(17, 5, 38), 0, frame, 0, 38);
        int sum = InternetSum.sum(frame, 14, 50);
        int filler = 0xA357 - sum;
        filler = filler < 0 ? filler - 1 : filler;
        frame[62] = (byte) (filler >> 8);
        frame[63] = (byte) filler;
        rig.receive(0, frame);
        rig.run();
        assertThat(hash(frame)).isEqualTo(0x8C1F1032);
        assertThat(InternetSum.sum(frame, 14, 50)).isEqualTo(0xA357);
        assertThat(completion(rig, 0).substring(0, 12) + completion(rig, 0).substring(16))
                .isEqualTo(
                        "000000004000" + "f9610100" + "000057a3" + "32101f8c" + "09000000" + "00000000" + "00000080");
        assertThat(rig.hex(Rig.EQ_RING, 32)).isEqualTo("00".repeat(31) + "80");
    }

    @ParameterizedTest
    @CsvSource({ "6, 5, 5", "17, 5, 9", "1, 5, 1", "6, 6, 1", "17, 15, 1", "17, 4, 1", "17, 0, 1" })
    void ipv4IsHashedWithPortsForTcpAndUdpWithoutOptions(int protocol, int headerWords, int type) {
        byte[] frame = Rig.ipv4(protocol, headerWords, 80);
        assertThat(type(frame)).isEqualTo(type);
        byte[] hashed = Arrays.copyOfRange(frame, 26, type == 1 ? 34 : 38);
        assertThat(hash(frame)).isEqualTo(plainToeplitz(hashed));
    }

    @Test
    void fragmentBitsAndVersionAreNotLookedAt() {
        byte[] frame = Rig.ipv4(17, 5, 60);
        int hash = hash(frame);
        frame[20] = 0x3F;
        frame[21] = (byte) 0xFF;
        frame[14] = (byte) 0xB5;
        assertThat(hash(frame)).isEqualTo(hash);
        assertThat(type(frame)).isEqualTo(9);
    }

    @ParameterizedTest
    @CsvSource({ "8100", "88a8", "0806", "86dd", "0033", "1234" })
    void otherEtherTypesHaveNoHash(String etherType) {
        byte[] frame = Rig.ipv4(17, 5, 60);
        System.arraycopy(HexFormat.of().parseHex(etherType), 0, frame, 12, 2);
        assertThat(hash(frame)).isZero();
        assertThat(type(frame)).isZero();
    }

    @Test
    void theSumOfTheArpRampFrameIsStoredLittleEndian() {
        byte[] frame = new byte[61];
        for (int i = 0; i < frame.length; i++) {
            frame[i] = (byte) i;
        }
        frame[12] = 8;
        frame[13] = 6;
        Rig rig = new Rig().ready();
        rig.post(1, 2048);
        rig.receive(0, frame);
        rig.run();
        assertThat(completion(rig, 0).substring(28, 32)).isEqualTo("567b");
    }

    @Test
    void anOddTailIsPaddedWithZero() {
        assertThat(InternetSum.sum(new byte[] { 1, 2, 3 }, 0, 3)).isEqualTo(0x0402);
        assertThat(InternetSum.sum(new byte[] { -1, -1, 0, 1 }, 0, 4)).isEqualTo(1);
        assertThat(InternetSum.sum(new byte[0], 0, 0)).isZero();
    }

    @ParameterizedTest
    @CsvSource({ "100, 235", "64, 106", "14, 60" })
    void longerThanTheRxMtuIsCutButTheSumCoversTheWholeFrame(int mtu, int length) {
        Rig rig = new Rig().ready();
        rig.w(0x8002C, mtu);
        rig.post(1, 2048);
        byte[] frame = Rig.frame(length);
        rig.receive(0, frame);
        assertThat(rig.run()).contains("rx0 data 180000000 " + mtu);
        int sum = InternetSum.sum(frame, 14, length - 14);
        assertThat(completion(rig, 0)).startsWith("00000000%02x%02x".formatted(mtu & 0xFF, mtu >> 8));
        assertThat(completion(rig, 0).substring(28, 32)).isEqualTo("%02x%02x".formatted(sum & 0xFF, sum >> 8));
    }

    @Test
    void buffersSmallerThanTheFrameCutTheDataOnly() {
        Rig rig = new Rig().ready();
        rig.post(1, 50);
        rig.receive(0, Rig.frame(342));
        assertThat(rig.run()).contains("rx0 data 180000000 50");
        assertThat(completion(rig, 0)).startsWith("000000005601");
    }

    @Test
    void aBlockIsFilledBufferByBufferSkippingEmptyOnes() {
        Rig rig = new Rig().ready();
        rig.openRxq(0, 4, 2, 0);
        rig.descriptor(Rig.RX_RING, 0, 16, 0x10249);
        rig.descriptor(Rig.RX_RING + 16, 0, 0, 0x20000);
        rig.descriptor(Rig.RX_RING + 32, 0, 40, 0x303FF);
        rig.descriptor(Rig.RX_RING + 48, 0, 40, 0x40000);
        rig.producer(Rig.RXQ, 1);
        byte[] frame = Rig.frame(60);
        rig.receive(0, frame);
        assertThat(rig.run()).containsExactly("rx0 desc 600000 64", "rx0 data 10249 16", "rx0 data 303ff 40",
                "rx0 data 40000 4", "cq0 200000");
        assertThat(rig.get(0x303FF, 40)).isEqualTo(Arrays.copyOfRange(frame, 16, 56));
    }

    @Test
    void withoutDescriptorOrWithADisabledQueueTheFrameIsLostSilently() {
        Rig rig = new Rig().ready();
        rig.receive(0, Rig.frame(60));
        assertThat(rig.run()).isEmpty();
        rig.post(1, 2048);
        rig.w(Rig.RXQ + 8, 0x40000100);
        rig.receive(0, Rig.frame(60));
        assertThat(rig.run()).isEmpty();
        rig.w(Rig.RXQ + 8, 0x40000101);
        assertThat(rig.run()).as("it does not come later").isEmpty();
        assertThat(rig.device.dropped()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({ "0", "0x101" })
    void aClosedPortHoldsTheFrameUntilItOpensAndLosesWhatDoesNotFit(String control) {
        Rig rig = new Rig().ready();
        rig.post(4, 2048);
        rig.w(Rig.PORT0 + 0x14, Integer.decode(control));
        assertThat(rig.receive(0, Rig.frame(64))).isTrue();
        assertThat(rig.receive(0, Rig.frame(342))).isFalse();
        assertThat(rig.run()).isEmpty();
        assertThat(rig.receive(1, Rig.frame(60))).isTrue();
        assertThat(rig.run()).as("the other port is open").contains("rx0 data 180000000 60");
        rig.w(Rig.PORT0 + 0x14, 1);
        assertThat(rig.run()).contains("rx0 data 180010000 64").hasSize(3);
    }

    @Test
    void aFullFifoLosesWholeFrames() {
        Rig rig = new Rig(Rig.small().rxFifoBytes(16384).build()).ready();
        rig.post(15, 2048);
        int kept = 0;
        for (int i = 0; i < 40; i++) {
            kept += rig.receive(0, Rig.frame(1500)) ? 1 : 0;
        }
        assertThat(kept).isEqualTo(16384 / 1504);
        assertThat(rig.run()).filteredOn(line -> line.startsWith("cq0")).hasSize(kept);
    }

    @Test
    void afterResetEverythingGoesToQueueZero() {
        Rig rig = new Rig().ready();
        rig.post(2, 2048);
        rig.receive(0, Rig.ipv4(17, 5, 60));
        rig.receive(1, Rig.ipv4(6, 5, 60));
        assertThat(rig.run()).filteredOn(line -> line.contains("desc")).allMatch(line -> line.startsWith("rx0"));
    }

    @Test
    void maskAndTableSelectTheQueueOfEachPort() {
        Rig rig = new Rig().ready();
        rig.openRxq(7, 4, 0, 0);
        rig.openRxq(9, 4, 0, 0);
        rig.producer(Rig.RXQ + 7 * 32, 4);
        rig.producer(Rig.RXQ + 9 * 32, 4);
        byte[] frame = Rig.ipv4(17, 5, 60);
        int index = hash(frame) & 0x15;
        rig.w(0x80114, 0x15);
        rig.w(0x80124, 0);
        rig.w(Rig.TABLE + index * 4L, 7);
        rig.w(Rig.TABLE + 32 * 4, 0xC9C71900 | 9); // only the bits of a queue number count
        rig.receive(0, frame);
        rig.receive(1, frame);
        assertThat(rig.run()).filteredOn(line -> line.contains("desc")).containsExactly("rx7 desc 670000 16",
                "rx9 desc 690000 16");
        assertThat(completion(rig, 0)).startsWith("07000000");
        assertThat(completion(rig, 1)).startsWith("09000000");
        assertThat(completion(rig, 1).substring(42, 44)).as("port").isEqualTo("01");
    }

    @Test
    void theAppMaskHasNoEffectWithoutAnApplication() {
        Rig rig = new Rig().ready();
        rig.post(1, 2048);
        rig.w(0x80118, 0x7FFFFFFF);
        rig.receive(0, Rig.ipv4(17, 5, 60));
        assertThat(rig.run()).contains("rx0 desc 600000 16");
    }

    @Test
    void featuresThatAreOffLeaveTheirFieldsZero() {
        Rig rig = new Rig(Rig.small().features(0).build()).ready();
        rig.w(0x80114, 0x1F);
        rig.w(Rig.TABLE + (hash(Rig.ipv4(17, 5, 60)) & 0x1F) * 4L, 3);
        rig.post(1, 2048);
        rig.receive(0, Rig.ipv4(17, 5, 60));
        rig.run();
        assertThat(completion(rig, 0).substring(28)).isEqualTo("0000" + "00000000" + "00".repeat(11) + "80");
        assertThat(rig.r(Rig.PORT0 + 0x0C)).isZero();
        rig.w(Rig.PORT0 + 0x18, -1);
        assertThat(rig.r(Rig.PORT0 + 0x18)).isZero();
    }

    @Test
    void emptyAndImpossibleFramesAreRefused() {
        Rig rig = new Rig().ready();
        assertThat(rig.receive(0, new byte[0])).isFalse();
        assertThat(rig.receive(0, new byte[131073])).isFalse();
        assertThat(rig.receive(0, new byte[] { 1 })).isTrue();
        rig.post(1, 2048);
        assertThat(rig.run()).contains("rx0 data 180000000 1");
    }

    @Test
    void aFrameOf9000BytesArrivesWhole() {
        Rig rig = new Rig().ready();
        rig.post(1, 0xFFFF);
        byte[] frame = Rig.frame(9000);
        rig.receive(0, frame);
        rig.run();
        assertThat(rig.get(BUFFER, 9000)).isEqualTo(frame);
    }

    /** Where the counter of beats wraps, the payload of an IPv6 packet is looked at as if a frame began there. */
    @Test
    void withTheTimingOfTheRtlAnIpv6PayloadCanGiveAHashWithoutType() {
        byte[] frame = new byte[156];
        for (int i = 64; i < frame.length; i++) {
            frame[i] = (byte) i;
        }
        frame[12] = (byte) 0x86;
        frame[13] = (byte) 0xDD;
        RxHash rtl = new RxHash(ModelTiming.RTL);
        rtl.compute(frame, 0, frame.length);
        assertThat(rtl.hash).isZero();
        frame[76] = 8;
        frame[77] = 0;
        assertThat(hash(frame)).as("a model that answers at once").isZero();
        rtl.compute(frame, 0, frame.length);
        assertThat(rtl.hash).isEqualTo(plainToeplitz(Arrays.copyOfRange(frame, 90, 98)));
        assertThat(rtl.type).isZero();
        frame[76] = (byte) 0x86;
        frame[77] = (byte) 0xDD;
        frame[140] = 8;
        frame[141] = 0;
        rtl.compute(frame, 0, frame.length);
        assertThat(rtl.hash).as("of the beats after the next wrap, cut at the frame's end").isNotZero();
        assertThat(rtl.type).isZero();
        frame[12] = 8;
        frame[13] = 6;
        rtl.compute(frame, 0, frame.length);
        assertThat(rtl.hash).as("only of IPv6").isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = { MqnicRegisters.FEATURE_RX_HASH, MqnicRegisters.FEATURE_RSS })
    void withoutHashOrSideScalingEverythingComesToTheFirstQueue(int missing) {
        Rig rig = new Rig(Rig.small().features(0x1F11 & ~missing).build()).ready();
        rig.w(0x80114, 0x1F);
        rig.w(Rig.TABLE + (hash(Rig.ipv4(17, 5, 60)) & 0x1F) * 4L, 3);
        rig.post(1, 2048);
        rig.receive(0, Rig.ipv4(17, 5, 60));
        assertThat(rig.run()).contains("rx0 desc 600000 16");
    }
}
