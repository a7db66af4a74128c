package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.model.Cables;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.nic.NicCapabilities;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketPool;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a design cannot do the driver does, or says; and what a card says of a packet reaches the program. */
@Timeout(60)
class OffloadTest {
    private static final int ALL = 0x1F11;
    private static final CorundumOptions SMALL = CorundumOptions.DEFAULTS.withRingEntries(32);

    private Rig rig;
    private Traffic traffic;
    private CorundumAdapter adapter;

    @AfterEach
    void close() {
        adapter.close();
        rig.close();
    }

    private void open(int features) {
        rig = Rig.stepped(new CorundumModel(CorundumConfig.builder().completionQueues(64).txQueues(16).rxQueues(16)
                .features(features).build(), Cables.cross(), false));
        traffic = new Traffic(rig);
        adapter = CorundumAdapter.open(rig.backing());
    }

    private CorundumNic port(int number, CorundumOptions options) {
        CorundumNic nic = adapter.openPort(number, options);
        nic.start();
        return nic;
    }

    private static byte[] frame() {
        byte[] frame = Traffic.frame(301, 5);
        frame[40] = 0x12; // the sum of a pseudo header
        frame[41] = 0x34;
        return frame;
    }

    /** With the checksum of {@link #frame} from byte 34 in bytes 40 and 41. */
    private static byte[] summed() {
        byte[] frame = frame();
        int sum = 0;
        for (int i = 34; i < frame.length; i++) {
            sum += (frame[i] & 0xFF) << ((i & 1) == 0 ? 8 : 0);
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        frame[40] = (byte) (~sum >> 8);
        frame[41] = (byte) ~sum;
        return frame;
    }

    @ParameterizedTest
    @ValueSource(ints = { ALL, ALL & ~FEATURE_TX_CHECKSUM })
    void aChecksumIsInsertedByCardOrDriver(int features) {
        open(features);
        CorundumNic left = port(0, SMALL.withBuffers(64, 8, 512));
        CorundumNic right = port(1, SMALL);
        assertThat(left.capabilities().txChecksum()).isEqualTo((features & FEATURE_TX_CHECKSUM) != 0);
        PacketBatch batch = new PacketBatch(8);
        for (int round = 0; round < 100; round++) { // more often than the ring has places
            traffic.load(left.txQueue(0), batch, frame()); // of five entries
            batch.requestChecksum(0, 34, 40);
            traffic.await(() -> {
                left.txQueue(0).write(batch);
                left.txQueue(0).commit();
                return batch.isEmpty();
            }, "room");
            assertThat(traffic.receive(right.rxQueue(0), 1)).containsExactly(summed());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { ALL, ALL & ~FEATURE_TX_CHECKSUM })
    void aFullRingAndForeignMemoryInsertItOnce(int features) {
        open(features);
        CorundumNic left = port(0, SMALL);
        CorundumNic right = port(1, SMALL);
        try (PacketPool foreign = PacketPool.allocate("foreign", 64, 2048)) {
            PacketBatch batch = new PacketBatch(64);
            foreign.take(batch, 64);
            for (int i = 0; i < 64; i++) {
                MemorySegment.copy(MemorySegment.ofArray(frame()), 0, foreign.segment(), batch.offset(i), 301);
                batch.setLength(i, 301);
                batch.requestChecksum(i, 34, 40);
            }
            assertThat(left.txQueue(0).write(batch)).isEqualTo(32);
            left.txQueue(0).commit();
            assertThat(traffic.receive(right.rxQueue(0), 32)).allMatch(one -> java.util.Arrays.equals(one, summed()));
            assertThat(left.txQueue(0).write(batch)).isEqualTo(32);
            left.txQueue(0).commit();
            assertThat(traffic.receive(right.rxQueue(0), 32)).allMatch(one -> java.util.Arrays.equals(one, summed()));
            traffic.flush(left);
            left.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { FEATURE_RX_HASH, FEATURE_RSS })
    void moreReceiveQueuesThanOneAreRefusedWhereNothingSpreadsFlows(int missing) {
        open(ALL & ~missing);
        assertThatThrownBy(() -> adapter.openPort(0, SMALL.withQueues(4, 4))).isInstanceOf(DeviceException.class)
                .hasMessageContaining("4 wanted").hasMessageContaining("come to the first")
                .hasMessageContaining("one receive queue");
        assertThatThrownBy(() -> adapter.openPort(0, NicOptions.DEFAULTS.withQueues(2, 1)))
                .isInstanceOf(DeviceException.class);
        CorundumNic nic = port(0, SMALL.withQueues(1, 4));
        NicCapabilities can = nic.capabilities();
        assertThat(can.maxRxQueues()).isEqualTo(1);
        assertThat(can.receiveSideScaling()).isFalse();
        assertThat(can.maxTxQueues()).isEqualTo(8);
    }

    /** A card in whose design the hash is missing. */
    @Test
    void withoutAHashNoPacketHasOne() {
        open(ALL & ~FEATURE_RX_HASH);
        assertThat(flags(Traffic.udp(64, 7)) & (PacketBatch.HAS_HASH | PacketBatch.TRANSPORT)).isZero();
    }

    private int flags(byte[] frame) {
        CorundumNic left = port(0, SMALL);
        CorundumNic right = port(1, SMALL);
        return flags(left, right, frame);
    }

    private int flags(CorundumNic left, CorundumNic right, byte[] frame) {
        traffic.send(left.txQueue(0), frame);
        PacketBatch in = new PacketBatch(1);
        traffic.fill(right.rxQueue(0), in, 1);
        int flags = in.flags(0);
        in.release();
        return flags;
    }

    @Test
    void flagsSayWhatWentIntoTheHash() {
        open(ALL);
        CorundumNic left = port(0, SMALL);
        CorundumNic right = port(1, SMALL);
        byte[] icmp = Traffic.udp(64, 7);
        icmp[23] = 1;
        byte[] tcp = Traffic.udp(64, 7);
        tcp[23] = 6;
        byte[] other = Traffic.frame(64, 9);
        other[12] = 0x08;
        other[13] = 0x06;
        int both = PacketBatch.HAS_HASH | PacketBatch.TRANSPORT;
        assertThat(flags(left, right, Traffic.udp(64, 7)) & both).isEqualTo(both);
        assertThat(flags(left, right, tcp) & both).isEqualTo(both);
        assertThat(flags(left, right, icmp) & both).as("addresses only").isEqualTo(PacketBatch.HAS_HASH);
        assertThat(flags(left, right, other) & both).as("hash type 0 is no hash").isZero();
        assertThat(flags(left, right, other) & PacketBatch.HAS_CHECKSUM).isNotZero();
    }

    @Test
    void theDumpShowsABlockWithoutItsNeighbours() {
        open(ALL);
        Map<String, Map<String, String>> sections = new java.util.HashMap<>();
        CorundumDump.of(rig.backing(), false).forEach(one -> sections.putIfAbsent(one.title(), one.values()));
        Map<String, String> port = Objects.requireNonNull(sections.get("interface 0 block: port"));
        assertThat(port).as("its own list lies in the space before the next block").containsKey("+0x0c")
                .doesNotContainKey("+0x10");
        assertThat(sections.get("interface 0 block: scheduler block")).doesNotContainKey("+0x10");
        assertThat(sections.get("interface 0 block: port control")).containsKeys("+0x10", "+0x3c");
        assertThat(sections.get("device block: interfaces")).containsKey("+0x18").doesNotContainKey("+0x20");
    }
}
