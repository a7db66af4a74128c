package dev.bascule.nic.virtio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lab.Lab;
import dev.bascule.nic.MacAddress;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.nic.PacketBatch;
import dev.bascule.vfio.VfioDevice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The virtio card against QEMU's user network, whose gateway answers ARP and pings. */
@Tag("lab")
class VirtioLabTest {
    private static final long TIMEOUT_NANOS = 20_000_000_000L;
    private static final int OWN_IP = 0x0a00020f;
    private static final int GATEWAY_IP = 0x0a000202;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long BROADCAST = 0xffff_ffff_ffffL;

    private VfioDevice device;
    private NicAdapter card;
    private Nic nic;
    private final PacketBatch sent = new PacketBatch(64);
    private final PacketBatch received = new PacketBatch(64);

    @BeforeEach
    void open() {
        device = Lab.open(VirtioRegisters.VENDOR_ID, VirtioRegisters.NET_DEVICE_ID, 0);
        card = Nics.open(device);
        nic = card.openPort(0, NicOptions.DEFAULTS.withInterrupts());
        nic.start();
    }

    @AfterEach
    void close() {
        if (card != null) {
            card.close();
        }
    }

    private static void mac(MemorySegment at, long offset, long address) {
        for (int i = 0; i < 6; i++) {
            at.set(ValueLayout.JAVA_BYTE, offset + i, (byte) (address >>> 40 - 8 * i));
        }
    }

    private static long mac(MemorySegment at, long offset) {
        long address = 0;
        for (int i = 0; i < 6; i++) {
            address = address << 8 | at.get(ValueLayout.JAVA_BYTE, offset + i) & 0xff;
        }
        return address;
    }

    private MemorySegment frame(int lengthBytes) {
        assertThat(nic.txQueue(0).allocate(sent, 1)).isEqualTo(1);
        int last = sent.size() - 1;
        sent.setLength(last, lengthBytes);
        MemorySegment frame = sent.memory().segment().asSlice(sent.offset(last), lengthBytes);
        frame.fill((byte) 0);
        return frame;
    }

    private void send() {
        int packets = sent.size();
        assertThat(nic.txQueue(0).write(sent)).isEqualTo(packets);
        assertThat(nic.txQueue(0).commit()).isEqualTo(packets);
    }

    /** The next frame of a type, other traffic put aside; null after the timeout. */
    private MemorySegment next(int type) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (System.nanoTime() < deadline) {
            received.release();
            PacketBatch one = received;
            if (nic.rxQueue(0).poll(one) == 0) {
                nic.rxQueue(0).await(TIMEOUT_NANOS / 10);
                continue;
            }
            for (int i = 0; i < one.size(); i++) {
                MemorySegment frame = one.memory().segment().asSlice(one.offset(i), one.length(i));
                if ((frame.get(SHORT, 12) & 0xffff) == type) {
                    return frame;
                }
            }
        }
        throw new AssertionError("no frame of type %04x".formatted(type));
    }

    private long gateway() {
        MemorySegment arp = frame(60);
        mac(arp, 0, BROADCAST);
        mac(arp, 6, nic.macAddress().orElseThrow().value());
        arp.set(SHORT, 12, (short) 0x0806);
        arp.set(SHORT, 14, (short) 1);
        arp.set(SHORT, 16, (short) 0x0800);
        arp.set(SHORT, 18, (short) 0x0604);
        arp.set(SHORT, 20, (short) 1);
        mac(arp, 22, nic.macAddress().orElseThrow().value());
        arp.set(INT, 28, OWN_IP);
        arp.set(INT, 38, GATEWAY_IP);
        send();
        MemorySegment reply = next(0x0806);
        assertThat(reply.get(SHORT, 20)).as("an answer").isEqualTo((short) 2);
        assertThat(reply.get(INT, 28)).isEqualTo(GATEWAY_IP);
        return mac(reply, 22);
    }

    private static int sum(MemorySegment frame, long from, long to) {
        int sum = 0;
        for (long i = from; i < to; i += 2) {
            sum += frame.get(SHORT, i) & 0xffff;
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        return ~(sum + (sum >>> 16)) & 0xffff;
    }

    private void ping(long gateway, int number, int payloadBytes) {
        MemorySegment echo = frame(42 + payloadBytes);
        mac(echo, 0, gateway);
        mac(echo, 6, nic.macAddress().orElseThrow().value());
        echo.set(SHORT, 12, (short) 0x0800);
        echo.set(SHORT, 14, (short) 0x4500);
        echo.set(SHORT, 16, (short) (28 + payloadBytes));
        echo.set(SHORT, 22, (short) 0x4001);
        echo.set(INT, 26, OWN_IP);
        echo.set(INT, 30, GATEWAY_IP);
        echo.set(SHORT, 24, (short) sum(echo, 14, 34));
        echo.set(SHORT, 34, (short) 0x0800);
        echo.set(SHORT, 38, (short) 0xba5c);
        echo.set(SHORT, 40, (short) number);
        for (int i = 0; i < payloadBytes; i++) {
            echo.set(ValueLayout.JAVA_BYTE, 42 + i, (byte) (i * 7 + number));
        }
        echo.set(SHORT, 36, (short) sum(echo, 34, 42 + payloadBytes));
    }

    private static void checkPong(MemorySegment frame, int number, int payloadBytes) {
        assertThat(frame.get(ValueLayout.JAVA_BYTE, 23)).as("ICMP").isEqualTo((byte) 1);
        assertThat(frame.get(ValueLayout.JAVA_BYTE, 34)).as("echo reply").isZero();
        assertThat(frame.get(SHORT, 40)).isEqualTo((short) number);
        for (int i = 0; i < payloadBytes; i++) {
            assertThat(frame.get(ValueLayout.JAVA_BYTE, 42 + i)).isEqualTo((byte) (i * 7 + number));
        }
    }

    @Test
    void theCardTellsItsAddressAndItsLink() {
        assertThat(nic.macAddress()).contains(MacAddress.parse("52:54:00:ba:5c:01"));
        assertThat(nic.link().up()).isTrue();
        nic.check();
    }

    @Test
    void theGatewayAnswersArpAndPingsOfEverySize() {
        long gateway = gateway();
        assertThat(gateway).isNotZero();
        int number = 0;
        for (int payload : new int[] { 18, 56, 500, 1400 }) {
            number++;
            ping(gateway, number, payload);
            send();
            checkPong(next(0x0800), number, payload);
        }
    }

    @Test
    void burstsGoAroundTheRingsManyTimes() {
        long gateway = gateway();
        int rounds = 40;
        int burst = 16;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < burst; i++) {
                ping(gateway, round * burst + i, 64);
            }
            send();
            int answers = 0;
            long deadline = System.nanoTime() + TIMEOUT_NANOS;
            while (answers < burst && System.nanoTime() < deadline) {
                received.release();
                answers += nic.rxQueue(0).poll(received);
            }
            assertThat(answers).as("round " + round).isGreaterThanOrEqualTo(burst);
        }
        received.release();
        assertThat(nic.statistics().get("tx_packets")).isEqualTo(rounds * burst + 1L);
        assertThat(nic.statistics().get("rx_packets")).isGreaterThanOrEqualTo(rounds * burst + 1L);
        assertThat(device.addressSpace().faultCount()).isZero();
    }

    @Test
    void stoppedAndStartedAgainItGoesOn() {
        long gateway = gateway();
        nic.stop();
        assertThat(device.config().read16(4) & 4).as("no bus mastering while stopped").isZero();
        nic.start();
        ping(gateway, 77, 32);
        send();
        checkPong(next(0x0800), 77, 32);
    }

    @Test
    void framesOfNoUseAreGivenBack() {
        frame(60);
        sent.setLength(0, 5);
        frame(60);
        sent.setLength(1, 0);
        assertThat(nic.txQueue(0).write(sent)).isZero();
        assertThat(sent.isEmpty()).isTrue();
        assertThat(nic.statistics().get("tx_errors")).isEqualTo(1);
    }
}
