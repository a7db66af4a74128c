package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.config.ModelTiming;
import dev.bascule.model.replay.SparseMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Facts of the RTL that no capture shows: stops, drains, widths, times. */
class CndmDeviceTest {
    private static final int SQ_RING = 0x1000;
    private static final int RQ_RING = 0x2000;
    private static final int CQ_RING = 0x3000;
    private static final int BUFFER = 0x8000;
    private static final int LOG = 4;

    private final SparseMemory memory = new SparseMemory();
    private final List<Integer> interrupts = new ArrayList<>();
    private final List<byte[]> wire = new ArrayList<>();
    private long now;
    private CndmDevice device = device(ModelTiming.IMMEDIATE);

    private CndmDevice device(ModelTiming timing) {
        return new CndmDevice(CndmConfig.MICRO.withTiming(timing), memory, interrupts::add,
                (port, data, length) -> wire.add(Arrays.copyOf(data, length)), () -> now, null, null);
    }

    private int[] command(int... words) {
        for (int i = 0; i < MAILBOX_WORDS; i++) {
            device.write(MAILBOX + 4L * i, 4, i < words.length ? words[i] : 0);
        }
        device.write(MAILBOX_CONTROL, 4, 1);
        int[] answer = new int[MAILBOX_WORDS];
        for (int i = 0; i < MAILBOX_WORDS; i++) {
            answer[i] = (int) device.read(MAILBOX + 4L * (MAILBOX_WORDS + i), 4);
        }
        return answer;
    }

    private int[] create(int kind, int bound, int ring) {
        return command(CREATE + KIND_STEP * kind << 16, 0, 0, 0, bound, 0, LOG, 0, ring, 0);
    }

    private void open() {
        create(COMPLETION_QUEUE, BIT_31 | 3, CQ_RING);
        create(SEND_QUEUE, 0, SQ_RING);
        create(RECEIVE_QUEUE, 0, RQ_RING);
    }

    private void describe(int ring, int slot, int lengthBytes) {
        memory.write(ring + 16L * slot,
                ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putInt(4, lengthBytes).putLong(8, BUFFER)
                        .array());
    }

    private void send(int slot, int lengthBytes) {
        describe(SQ_RING, slot, lengthBytes);
        device.write(PORTS + PRODUCER, 4, slot + 1);
    }

    private ByteBuffer completion(int slot) {
        byte[] entry = new byte[16];
        memory.read(CQ_RING + 16L * slot, MemorySegment.ofArray(entry), 0, 16);
        return ByteBuffer.wrap(entry).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void arm() {
        device.write(PORTS + NOTIFY_WINDOW + CONSUMER, 4, BIT_31);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 16_385, 65_535 })
    void lengthThatTheMacNeverReportsStopsThePortForGood(int lengthBytes) {
        open();
        send(0, lengthBytes);
        send(1, 60);
        device.work(100);
        assertThat(wire).isEmpty();
        assertThat(device.isBusy()).isFalse();
        assertThat(device.losses().toString()).contains("which stops it: 1");
        device.reset();
        open();
        send(0, 60);
        device.work(100);
        assertThat(wire).hasSize(1);
    }

    /** The completion goes to the number that was bound when the frame was fetched, whoever has it then. */
    @Test
    void frameInFlightCompletesIntoTheQueueThatHasTheNumberThen() {
        open();
        CndmPort port = device.port(0);
        port.setHoldReports(true);
        send(0, 77);
        device.work(100);
        assertThat(wire).hasSize(1);
        command(DESTROY + KIND_STEP * SEND_QUEUE << 16, 0, 0, 0);
        command(DESTROY + KIND_STEP * COMPLETION_QUEUE << 16, 0, 0, 0);
        create(COMPLETION_QUEUE, BIT_31, CQ_RING + 0x1000);
        port.setHoldReports(false);
        device.work(100);
        byte[] entry = new byte[16];
        memory.read(CQ_RING + 0x1000, MemorySegment.ofArray(entry), 0, 16);
        assertThat(entry[4]).isEqualTo((byte) 77);
        assertThat(entry[15]).isNegative();
        assertThat(completion(0).getInt(4)).isZero();
    }

    @Test
    void frameInFlightCompletesWhereItsQueueWasBoundWhenItWasFetched() {
        open();
        create(COMPLETION_QUEUE, BIT_31, CQ_RING + 0x1000);
        CndmPort port = device.port(0);
        port.setHoldReports(true);
        send(0, 77);
        device.work(100);
        command(DESTROY + KIND_STEP * SEND_QUEUE << 16, 0, 0, 0);
        create(SEND_QUEUE, 1, SQ_RING);
        port.setHoldReports(false);
        device.work(100);
        assertThat(completion(0).getInt(4)).isEqualTo(77);
    }

    @Test
    void queueThatIsCreatedAnewRemembersNothing() {
        open();
        send(0, 60);
        device.work(100);
        command(DESTROY + KIND_STEP * COMPLETION_QUEUE << 16, 0, 0, 0);
        create(COMPLETION_QUEUE, BIT_31 | 3, CQ_RING);
        arm();
        assertThat(interrupts).isEmpty();
    }

    @Test
    void nothingIsFetchedWhileAReportIsHeldOrTheWireTakesNothing() {
        open();
        CndmPort port = device.port(0);
        port.setHoldWire(true);
        send(0, 60);
        send(1, 60);
        device.work(100);
        assertThat(wire).isEmpty();
        port.setHoldReports(true);
        port.setHoldWire(false);
        device.work(100);
        assertThat(wire).hasSize(1);
        assertThat(command(INNER_REGISTER << 16, 0, 0, 0, 0, 0, 0, 0x1000C)[10]).isEqualTo(1);
        port.setHoldReports(false);
        device.work(100);
        assertThat(wire).hasSize(2);
    }

    @Test
    void interruptsOfAVectorWithinTenMicrosecondsAreMergedIntoOne() {
        open();
        for (int slot = 0; slot < 4; slot++) {
            arm();
            send(slot, 60);
            device.work(100);
        }
        assertThat(interrupts).containsExactly(3);
        assertThat(device.isWaitingForTime()).isTrue();
        now += 9_999;
        device.work(1);
        assertThat(interrupts).hasSize(1);
        now++;
        device.work(1);
        assertThat(interrupts).containsExactly(3, 3);
        assertThat(device.isWaitingForTime()).isFalse();
    }

    @Test
    void fullCompletionQueueDropsForGoodAndTheWorkGoesOn() {
        open();
        for (int slot = 0; slot < 20; slot++) {
            describe(SQ_RING, slot & 15, 60 + slot);
            device.write(PORTS + PRODUCER, 4, slot + 1);
            device.work(100);
        }
        assertThat(wire).hasSize(20);
        assertThat(completion(15).getInt(4)).isEqualTo(75);
        device.write(PORTS + NOTIFY_WINDOW + CONSUMER, 4, 16);
        device.work(100);
        assertThat(completion(0).getInt(4)).as("not written late").isEqualTo(60);
    }

    @Test
    void moreThanAWordIsRefusedWhenReadAndDroppedWhenWritten() {
        device.write(MAILBOX, 8, -1L);
        assertThat(device.read(MAILBOX, 4)).isZero();
        assertThat(device.read(MAILBOX, 8)).isEqualTo(-1);
        device.write(MAILBOX + 4, 4, 0x11223344);
        device.write(MAILBOX + 5, 1, 0xAB);
        assertThat(device.read(MAILBOX + 4, 4)).isEqualTo(0x1122AB44);
        assertThat(device.read(MAILBOX + 5, 1)).isEqualTo(0xAB);
    }

    @ParameterizedTest
    @CsvSource({ "64, 105", "1514, 697", "4096, 1743" })
    void framesTakeTheCyclesOfTheRtl(int lengthBytes, int cycles) {
        device = device(ModelTiming.RTL);
        open();
        send(0, lengthBytes);
        device.work(100);
        assertThat(device.isBusy()).isTrue();
        now += 4L * cycles - 1;
        device.work(100);
        assertThat(completion(0).getInt(4)).isZero();
        now++;
        device.work(100);
        assertThat(completion(0).getInt(4)).isEqualTo(lengthBytes);
    }

    /** Ports that do not exist, undecoded inner addresses, queue pairs, host memory that is not there: nothing bad. */
    @Test
    void whatMakesNoSenseDoesNoHarm() {
        assertThat(command(CREATE << 16, 0, 200)[0]).isZero();
        assertThat(command(DESTROY << 16, 0, 0xFFFF, -1)[0]).isZero();
        assertThat(command(0x0241 << 16)[0]).isEqualTo(STATUS_INVALID << 16);
        assertThat(command(0x0201 << 16)[0]).isEqualTo(STATUS_UNSUPPORTED << 16);
        for (int address = 0; address < 0x40000; address += 0xFFC) {
            command(INNER_REGISTER << 16, 1, 0, 0, 0, 0, 0, address, -1);
        }
        for (long offset = 0; offset < BAR0_BYTES; offset += 0x7FFC) {
            device.write(offset, 4, -1);
            device.read(offset, 4);
        }
        device.receive(0, new byte[40_000], 0, 40_000);
        device.receive(1, new byte[60], 0, 60);
        assertThat(device.work(1_000)).isPositive();
    }

    @Test
    void configurationNamesWhatDoesNotFit() {
        assertThatThrownBy(() -> CndmConfig.MICRO.withPorts(9)).hasMessageContaining("9 ports");
        assertThat(CndmConfig.MICRO.lite().firmwareId()).isEqualTo(FIRMWARE_LITE);
    }

    private int[] inner(int address, boolean writes, int value) {
        return command(INNER_REGISTER << 16, writes ? 1 : 0, 0, 0, 0, 0, 0, address, value);
    }

    @Test
    void pointersHaveSixteenBits() {
        open();
        device.write(PORTS + PRODUCER, 4, 0x1_FEDC);
        device.write(PORTS + NOTIFY_WINDOW + CONSUMER, 4, 0x1_EDCB);
        assertThat(inner(PORT_STRIDE + 8, false, 0)[10]).isEqualTo(0xFEDC);
        assertThat(inner(PORT_STRIDE + NOTIFY_WINDOW + 12, false, 0)[10]).isEqualTo(0xEDCB);
    }

    @Test
    void innerWriteThatNobodyDecodesDoesNothing() {
        int before = inner(PORT_STRIDE + 0x8010, false, 0)[10];
        for (int within : new int[] { 0xC010, 0xFF10, 0xC020 }) {
            inner(PORT_STRIDE + within, true, 5);
        }
        assertThat(inner(PORT_STRIDE + 0x8010, false, 0)[10]).isEqualTo(before);
    }

    @Test
    void offsetOfZeroLetsOneThatFollowsAtOnceCount() {
        assertThat(clockAfter(0, 1_000)).isEqualTo(clockAfter(1_000)).isNotEqualTo(clockAfter());
    }

    /** Nanoseconds that a new card's clock shows a while after these offsets, one at once after the other. */
    private int clockAfter(int... offsets) {
        now = 0;
        device = device(ModelTiming.RTL);
        for (int offset : offsets) {
            inner(0x50, true, offset);
        }
        now = 1_000_000;
        inner(0x30, false, 0);
        return inner(0x34, false, 0)[10];
    }
}
