package dev.bascule.nic.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.model.enso.EnsoDevice;
import dev.bascule.nic.PacketFormat;
import dev.bascule.nic.RxPipe;
import dev.bascule.nic.TxPipe;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Segmentation and joining, which the driver asks the model for; checked by sums and bytes, without the model's code. */
class EnsoMessagesTest {
    private static final int HEADER = 54;

    private final List<byte[]> wire = new ArrayList<>();
    private final EnsoDevice model = new EnsoDevice(EnsoBoard.DEFAULT, () -> 0,
            (frame, length, at) -> wire.add(Arrays.copyOf(frame, length)));
    private final LoopbackDevice backing = LoopbackDevice.open(model);
    private final EnsoNic nic = EnsoNic.open(backing, EnsoConfig.DEFAULT, work -> model.work(1 << 16));
    private final EnsoGroup group = nic.openGroup();
    private final RxPipe in = group.openFallbackRx();
    private final TxPipe out = group.openTx();

    @AfterEach
    void close() {
        nic.close();
        backing.close();
    }

    private static byte[] packet(int protocol, int sequence, byte[] payload, int flags) {
        int header = protocol == 6 ? HEADER : 42;
        ByteBuffer b = ByteBuffer.allocate(header + payload.length);
        b.putShort(12, (short) 0x0800).put(14, (byte) 0x45).putShort(16, (short) (header - 14 + payload.length));
        b.putShort(18, (short) 7).put(22, (byte) 64).put(23, (byte) protocol).putInt(26, 0x0A000001).putInt(30,
                0x0A000002);
        b.putShort(34, (short) 1000).putShort(36, (short) 2000);
        if (protocol == 6) {
            b.putInt(38, sequence).putInt(42, 99).put(46, (byte) 0x50).put(47, (byte) flags).putShort(48, (short) 500);
        } else {
            b.putShort(38, (short) (8 + payload.length)).putShort(40, (short) 1);
        }
        b.put(header, payload);
        return b.array();
    }

    private static byte[] random(int bytes) {
        byte[] payload = new byte[bytes];
        new Random(bytes).nextBytes(payload);
        return payload;
    }

    private void send(byte[] packet) {
        MemorySegment.copy(packet, 0, out.memory(), ValueLayout.JAVA_BYTE, out.offset(), packet.length);
        assertThat(out.send(PacketFormat.padded(packet.length))).isPositive();
        for (int i = 0; i < 100 && out.pendingBytes() > 0; i++) {
            model.work(1 << 16);
            group.poll();
        }
        assertThat(out.pendingBytes()).isZero();
    }

    private static int u16(byte[] bytes, int at) {
        return ByteBuffer.wrap(bytes).getShort(at) & 0xFFFF;
    }

    private static void sumsAreRight(byte[] frame) {
        int end = 14 + u16(frame, 16);
        assertThat(sum(frame, 14, 34, 0)).isEqualTo(0xFFFF);
        assertThat(sum(frame, 34, end, sum(frame, 26, 34, frame[23] + end - 34))).isEqualTo(0xFFFF);
    }

    private static int sum(byte[] bytes, int from, int end, int start) {
        long sum = start;
        for (int i = from; i < end; i++) {
            sum += (i - from) % 2 == 0 ? (bytes[i] & 0xFF) << 8 : bytes[i] & 0xFF;
        }
        while (sum > 0xFFFF) {
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        return (int) sum;
    }

    @Test
    void aLongTcpPacketLeavesInSegmentsOfTheSameBytes() {
        nic.messages(1500, 0);
        byte[] payload = random(10_001);
        send(packet(6, 0xFFFF_F000, payload, 0x19));
        assertThat(wire).hasSize(7);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < wire.size(); i++) {
            byte[] frame = wire.get(i);
            sumsAreRight(frame);
            assertThat(frame.length).isLessThanOrEqualTo(1514);
            assertThat(ByteBuffer.wrap(frame).getInt(38)).isEqualTo(0xFFFF_F000 + bytes.size());
            assertThat(u16(frame, 18)).isEqualTo(7 + i);
            assertThat(frame[47]).as("flags").isEqualTo((byte) (i == 6 ? 0x19 : 0x10));
            bytes.write(frame, HEADER, 14 + u16(frame, 16) - HEADER);
        }
        assertThat(bytes.toByteArray()).isEqualTo(payload);
    }

    @Test
    void aLongUdpPacketLeavesInDatagramsAndAShortOneAsItIs() {
        nic.messages(1500, 0);
        send(packet(17, 0, random(3_000), 0));
        assertThat(wire).hasSize(3).allSatisfy(EnsoMessagesTest::sumsAreRight);
        assertThat(wire).extracting(frame -> u16(frame, 38)).containsExactly(1480, 1480, 64);
        byte[] small = packet(17, 0, random(500), 0);
        send(small);
        assertThat(wire.getLast()).isEqualTo(small);
    }

    @Test
    void withoutAskingNothingIsCutAndNothingJoined() {
        byte[] large = packet(6, 5, random(4_000), 0x10);
        send(large);
        assertThat(wire).hasSize(1);
        assertThat(wire.getFirst()).isEqualTo(large);
        receive(packet(6, 0, random(100), 0x10), packet(6, 100, random(100), 0x10));
        assertThat(packets()).hasSize(2);
    }

    private void receive(byte[]... frames) {
        for (byte[] frame : frames) {
            model.receive(frame, 0, frame.length);
        }
        model.work(1 << 16);
    }

    private List<byte[]> packets() {
        List<byte[]> found = new ArrayList<>();
        for (long bytes = in.peek(); bytes > 0; bytes = in.peek()) {
            int length = PacketFormat.packetBytes(in.memory(), in.offset(), bytes);
            found.add(in.memory().asSlice(in.offset(), length).toArray(ValueLayout.JAVA_BYTE));
            in.confirm(PacketFormat.padded(length));
            in.free(PacketFormat.padded(length));
            model.work(1 << 16);
        }
        return found;
    }

    @Test
    void segmentsInSequenceArriveAsOnePacket() {
        nic.messages(0, 4032);
        byte[] payload = random(900);
        byte[][] parts = new byte[3][];
        for (int i = 0; i < 3; i++) {
            parts[i] = packet(6, 1_000 + 300 * i, Arrays.copyOfRange(payload, 300 * i, 300 * i + 300),
                    i == 2 ? 0x18 : 0x10);
        }
        receive(parts);
        List<byte[]> got = packets();
        assertThat(got).hasSize(1);
        sumsAreRight(got.getFirst());
        assertThat(Arrays.copyOfRange(got.getFirst(), HEADER, got.getFirst().length)).isEqualTo(payload);
        assertThat(ByteBuffer.wrap(got.getFirst()).getInt(38)).isEqualTo(1_000);
    }

    @Test
    void whatDoesNotBelongTogetherStaysApartInOrder() {
        nic.messages(0, 1_000);
        byte[] gap = packet(6, 500, random(100), 0x10); // 100 to 499 are missing
        byte[] other = packet(6, 600, random(100), 0x10);
        other[35] ^= 1; // another port
        byte[] udp = packet(17, 0, random(30), 0);
        byte[] fin = packet(6, 700, random(10), 0x11);
        byte[] large = packet(6, 710, random(700), 0x10);
        byte[] tooMuch = packet(6, 1410, random(700), 0x10);
        receive(packet(6, 0, random(100), 0x10), gap, other, udp, fin, large, tooMuch);
        List<byte[]> got = packets();
        assertThat(got).hasSize(7);
        assertThat(got.get(1)).isEqualTo(gap);
        assertThat(got.get(3)).isEqualTo(udp);
        assertThat(got.get(6)).isEqualTo(tooMuch);
    }

    @Test
    void whatIsCutIsJoinedAgain() {
        nic.messages(600, 4032);
        byte[] message = packet(6, 77, random(3_500), 0x18);
        send(message);
        assertThat(wire).hasSizeGreaterThan(5);
        receive(wire.toArray(byte[][]::new));
        List<byte[]> got = packets();
        assertThat(got).hasSize(1);
        assertThat(Arrays.copyOfRange(got.getFirst(), HEADER, got.getFirst().length))
                .isEqualTo(Arrays.copyOfRange(message, HEADER, message.length));
        assertThatThrownBy(() -> nic.messages(100, 0)).hasMessageContaining("100");
    }
}
