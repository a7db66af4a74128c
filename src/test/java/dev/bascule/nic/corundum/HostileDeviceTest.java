package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketWriter;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A device that lies, storms, falls silent or is pulled out: the driver says so and stops. */
@Timeout(60)
class HostileDeviceTest {
    private static final CorundumOptions SMALL = CorundumOptions.DEFAULTS.withRingEntries(16);
    private static final long CSR = 0x80000;
    private static final long RX_CQ = 0x200000;
    private static final long TX_CQ = 0x200010;

    private final ScriptedCard card = new ScriptedCard(
            CorundumConfig.builder().completionQueues(64).txQueues(16).rxQueues(16).build());
    private final LoopbackDevice device = LoopbackDevice.open(card);

    @AfterEach
    void close() {
        device.close();
    }

    private CorundumNic start() {
        CorundumNic nic = CorundumAdapter.open(device).openPort(0, SMALL);
        nic.start();
        return nic;
    }

    /** Sends {@code count} packets to a card that does not answer. */
    private static void send(CorundumNic nic, int count) {
        PacketBatch batch = new PacketBatch(count);
        nic.txQueue(0).allocate(batch, count);
        for (int i = 0; i < count; i++) {
            batch.setLength(i, 64);
        }
        assertThat(nic.txQueue(0).write(batch)).isEqualTo(count);
        nic.txQueue(0).commit();
    }

    @Test
    void allOnesFromTheStartIsADeviceThatIsGone() {
        card.fallSilent();
        assertThatThrownBy(() -> CorundumAdapter.open(device)).isInstanceOf(DeviceRemovedException.class)
                .hasMessageContaining("gone");
    }

    @ParameterizedTest
    @CsvSource({ "0x0, 0x80, firmware ID", "0x50, 0x101, interfaces" })
    void anUnknownVersionIsRefusedByName(String offset, String version, String what) {
        card.override(Long.decode(offset) + BLOCK_VERSION, Integer.decode(version));
        assertThatThrownBy(() -> CorundumAdapter.open(device)).isInstanceOf(DeviceFormatException.class)
                .hasMessageContaining(what).hasMessageContaining(version).hasMessageContaining("0x100");
    }

    @ParameterizedTest
    @CsvSource({ "0x00, interface control", "0x40, event queues", "0x60, completion queues", "0x80, TX queues",
            "0xA0, RX queues", "0x100, receive queue map", "0x1000, port", "0x1010, port control",
            "0x3000, scheduler block", "0x3010, scheduler" })
    void anUnknownVersionOfAnyNeededBlockIsRefusedByName(String offset, String what) {
        card.override(CSR + Long.decode(offset) + BLOCK_VERSION, 0x900);
        assertThatThrownBy(() -> CorundumAdapter.open(device)).isInstanceOf(DeviceFormatException.class)
                .hasMessageContaining(what).hasMessageContaining("0x900").hasMessageContaining("bascule dump");
    }

    @ParameterizedTest
    @CsvSource({ "0x08, 0x0", "0x58, 0x40", "0x80008, 0x80000" })
    void aListThatLoopsIsRefused(String offset, String next) {
        card.override(Long.decode(offset), Integer.decode(next));
        assertThatThrownBy(() -> CorundumAdapter.open(device)).isInstanceOf(DeviceFormatException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = { 0x60, 0x68, 0x80010, 0x80014, 0x8004C, 0x80050, 0x80054, 0x8006C, 0x80070, 0x8008C,
            0x800AC, 0x800B0, 0x8100C, 0x8300C })
    void sizesAndOffsetsThatMakeNoSenseAreRefused(long offset) {
        for (int value : new int[] { -1, 0x7FFFFFFF, 0x00FFFFFF, 0x01000000, 0x80000000 }) {
            card.override(offset, value);
            assertThatThrownBy(() -> {
                try (LoopbackDevice again = LoopbackDevice.open(card)) {
                    start(again);
                }
            }).as("0x%x in 0x%x", value, offset).isInstanceOf(DeviceException.class);
        }
    }

    private static void start(LoopbackDevice device) {
        CorundumAdapter.open(device).openPort(0, SMALL).start();
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
    void randomRegistersNeverLeadAstray(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            ScriptedCard liar = new ScriptedCard(CorundumConfig.builder().completionQueues(64).txQueues(16).rxQueues(16)
                    .build());
            for (int lie = 0; lie < 3; lie++) {
                long base = random.nextBoolean() ? 0 : CSR + (random.nextInt(5) << 12);
                liar.override(base + random.nextInt(0x48) * 4L,
                        random.nextBoolean() ? random.nextInt() : random.nextInt(1 << 16));
            }
            try (CorundumAdapter adapter = CorundumAdapter.open(LoopbackDevice.open(liar))) {
                CorundumNic nic = adapter.openPort(0, SMALL);
                nic.start();
                nic.rxQueue(0).poll(new PacketBatch(8));
                nic.statistics();
            } catch (DeviceException | IllegalArgumentException refused) {
                assertThat(refused.getMessage()).as("seed %d", seed).isNotBlank();
            }
        }
    }

    @Test
    void aCompletionOfAnotherQueueStopsTheQueue() {
        CorundumNic nic = start();
        card.complete(RX_CQ, 0, 7, 0, 64);
        PacketBatch batch = new PacketBatch(8);
        assertThatThrownBy(() -> nic.rxQueue(0).poll(batch)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("queue 7").hasMessageContaining("RX queue 0");
        assertThatThrownBy(() -> nic.rxQueue(0).poll(batch)).as("it stays stopped")
                .isInstanceOf(DeviceException.class);
        assertThat(batch.isEmpty()).isTrue();
        nic.stop();
        nic.start();
        assertThat(nic.rxQueue(0).poll(batch)).as("a new start is a new chance").isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = { 16, 17, 0x7FFF, 0x8000, 0xFFFF })
    void anIndexOutOfRangeStopsTheQueue(int index) {
        CorundumNic nic = start();
        card.complete(RX_CQ, 0, 0, index, 64);
        assertThatThrownBy(() -> nic.rxQueue(0).poll(new PacketBatch(8))).isInstanceOf(DeviceException.class)
                .hasMessageContaining("index " + index);
        send(nic, 4);
        card.complete(TX_CQ, 0, 0, index, 64);
        assertThatThrownBy(() -> nic.txQueue(0).reclaim()).isInstanceOf(DeviceException.class)
                .hasMessageContaining("index " + index);
        assertThatThrownBy(() -> nic.txQueue(0).write(filled(nic))).isInstanceOf(DeviceException.class);
    }

    @Test
    void aCompletionOfAnEmptyRingIsToldSo() {
        CorundumNic nic = start();
        card.complete(TX_CQ, 0, 0, 5, 64);
        assertThatThrownBy(() -> nic.txQueue(0).reclaim()).isInstanceOf(DeviceException.class)
                .hasMessageContaining("index 5, but holds no descriptor");
    }

    private static PacketBatch filled(CorundumNic nic) {
        PacketBatch batch = new PacketBatch(1);
        PacketWriter.open(batch, dev.bascule.nic.PacketPool.allocate("any", 1, 64));
        PacketWriter.add(batch, 0, 0, 64, 0);
        return batch;
    }

    @Test
    void completionsOfAFormerLifeAreCountedAndDropped() {
        CorundumNic nic = start();
        send(nic, 4);
        nic.stop();
        nic.start(); // positions go on: 16 for the buffers, 4 for what is sent
        send(nic, 2);
        for (int former = 0; former < 4; former++) {
            card.complete(RX_CQ, former, 0, former, 64);
            card.complete(TX_CQ, former, 0, former, 64);
        }
        card.complete(RX_CQ, 4, 0, 16, 66);
        card.complete(TX_CQ, 4, 0, 4, 64);
        PacketBatch batch = new PacketBatch(8);
        assertThat(nic.rxQueue(0).poll(batch)).isEqualTo(1);
        assertThat(batch.length(0)).isEqualTo(66);
        batch.release();
        nic.txQueue(0).reclaim(); // looks at little more than can be right
        nic.txQueue(0).reclaim();
        assertThat(nic.txQueue(0).inFlight()).isEqualTo(1);
        assertThat(nic.statistics()).containsEntry("rx_stale", 4L).containsEntry("tx_stale", 4L)
                .containsEntry("rx_packets", 1L).containsEntry("rx_errors", 0L);
    }

    @Test
    void goodPacketsBeforeABadCompletionAreStillDelivered() {
        CorundumNic nic = start();
        card.complete(RX_CQ, 0, 0, 0, 64);
        card.complete(RX_CQ, 1, 0, 1, 65);
        card.complete(RX_CQ, 2, 0, 1, 66); // the same again
        PacketBatch batch = new PacketBatch(8);
        assertThat(nic.rxQueue(0).poll(batch)).isEqualTo(2);
        assertThatThrownBy(() -> nic.rxQueue(0).poll(batch)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("index 1");
        batch.release();
    }

    @Test
    void aStormOfCompletionsEndsAtWhatWasPosted() {
        CorundumNic nic = start();
        for (int slot = 0; slot < 32; slot++) {
            card.complete(RX_CQ, slot, 0, slot, 64);
        }
        PacketBatch batch = new PacketBatch(64);
        assertThat(nic.rxQueue(0).poll(batch)).as("the ring had so many buffers").isEqualTo(16);
        batch.release();
        assertThatThrownBy(() -> nic.rxQueue(0).poll(batch)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("index 16");
        send(nic, 2);
        for (int slot = 0; slot < 32; slot++) {
            card.complete(TX_CQ, slot, 0, slot, 64);
        }
        assertThatThrownBy(() -> nic.txQueue(0).reclaim()).isInstanceOf(DeviceException.class);
        assertThat(nic.txQueue(0).inFlight()).isZero();
    }

    @Test
    void whatWasWrittenButNotCommittedCannotBeCompleted() {
        CorundumNic nic = start();
        PacketBatch batch = new PacketBatch(2);
        nic.txQueue(0).allocate(batch, 2);
        batch.setLength(0, 64);
        batch.setLength(1, 64);
        nic.txQueue(0).write(batch);
        card.complete(TX_CQ, 0, 0, 0, 64);
        assertThatThrownBy(() -> nic.txQueue(0).reclaim()).isInstanceOf(DeviceException.class);
    }

    @Test
    void completionsOutOfOrderAreTaken() {
        CorundumNic nic = start();
        for (int round = 0; round < 2; round++) {
            int[] order = { 2, 0, 3, 1 };
            for (int i = 0; i < 4; i++) {
                card.complete(RX_CQ, round * 4 + i, 0, round * 4 + order[i], 60 + order[i]);
            }
            PacketBatch batch = new PacketBatch(8);
            assertThat(nic.rxQueue(0).poll(batch)).isEqualTo(4);
            assertThat(batch.length(0)).isEqualTo(62);
            assertThat(batch.length(3)).isEqualTo(61);
            batch.release();
            send(nic, 4);
            for (int i = 0; i < 4; i++) {
                card.complete(TX_CQ, round * 4 + i, 0, round * 4 + order[i], 64);
            }
            assertThat(nic.txQueue(0).reclaim()).isEqualTo(4);
        }
    }

    @Test
    void wrongPhaseTagsAreNoCompletions() {
        CorundumNic nic = start();
        for (int slot = 0; slot < 32; slot++) {
            card.record(RX_CQ, slot, (long) slot << 16 | 64L << 32, -1, -1, 0x7FFF_FFFF_FFFF_FFFFL);
        }
        PacketBatch batch = new PacketBatch(8);
        assertThat(nic.rxQueue(0).poll(batch)).isZero();
        card.complete(RX_CQ, 1, 0, 1, 64); // right tag, but not the next slot
        assertThat(nic.rxQueue(0).poll(batch)).isZero();
    }

    @Test
    void lengthsThatCannotBeAreErrorsAndLoseNoBuffer() {
        CorundumNic nic = start();
        PacketBatch batch = new PacketBatch(8);
        for (int i = 0; i < 16; i++) {
            card.complete(RX_CQ, i, 0, i, i % 2 == 0 ? 0 : 0xFFFF);
        }
        assertThat(nic.rxQueue(0).poll(batch)).isZero();
        assertThat(nic.rxQueue(0).poll(batch)).isZero();
        assertThat(nic.statistics()).containsEntry("rx_errors", 8L).containsEntry("rx_too_long", 8L)
                .containsEntry("rx_no_room", 0L);
        assertThat(card.written(0x600008)).as("all buffers are with the card again").isEqualTo(0x80800000 | 32);
    }

    @Test
    void aLinkThatStaysDownIsReported() {
        card.override(0x81020, 0);
        CorundumNic nic = start();
        assertThat(nic.link().up()).isFalse();
    }

    @Test
    void aQueueThatNeverComesToRestDoesNotHoldUpTheStop() {
        CorundumNic nic = start();
        card.override(0x600008, WORK_QUEUE_STATUS_ACTIVE | 1);
        card.override(0x400008, WORK_QUEUE_STATUS_ACTIVE | 1);
        assertThatCode(nic::stop).doesNotThrowAnyException();
    }

    @Test
    void aClockThatStaysPendingIsReported() {
        CorundumClock clock = CorundumAdapter.open(device).clock().orElseThrow();
        card.override(0x10C, PHC_STATUS_SET_PENDING | PHC_STATUS_PERIOD_PENDING);
        assertThatThrownBy(() -> clock.set(5)).isInstanceOf(DeviceException.class).hasMessageContaining("pending");
        assertThatThrownBy(() -> clock.setRate(5)).isInstanceOf(DeviceException.class);
    }

    @Test
    void surpriseRemovalIsNoticedAndEverythingIsGivenBack() {
        CorundumAdapter adapter = CorundumAdapter.open(device);
        CorundumNic nic = adapter.openPort(0, SMALL);
        nic.start();
        send(nic, 4);
        device.surpriseRemove();
        assertThat(nic.rxQueue(0).poll(new PacketBatch(8))).as("silence, as on hardware").isZero();
        assertThatThrownBy(nic::check).isInstanceOf(DeviceRemovedException.class);
        assertThatThrownBy(nic::link).isInstanceOf(DeviceRemovedException.class);
        assertThatThrownBy(() -> adapter.clock().orElseThrow().nanos()).isInstanceOf(DeviceRemovedException.class);
        nic.stop();
        assertThat(nic.txQueue(0).inFlight()).isZero();
        assertThatThrownBy(nic::start).isInstanceOf(DeviceRemovedException.class);
        adapter.close();
    }

    @Test
    void aForeignDeviceIsRefused() {
        dev.bascule.device.DeviceInfo info = new dev.bascule.device.DeviceInfo("other", "loopback", null, 0x8086, 1, 0,
                -1);
        assertThatThrownBy(() -> DeviceMap.read(device.registers(0), info)).isInstanceOf(DeviceFormatException.class)
                .hasMessageContaining("1234:1001");
    }
}
