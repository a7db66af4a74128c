package dev.bascule.model.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DmaDirection;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.nic.enso.EnsoRegisters;
import dev.bascule.ring.IdleStrategy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** The device on the loopback: identity, registers, DMA through the IOMMU, its own thread, reset. */
class EnsoDeviceTest {
    private static final long BYTES = 1 << 20;
    private static final long MEMORY = 0x4000_0000L;
    private static final long TX = 0x8_0000;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private final CountDownLatch sent = new CountDownLatch(1);
    private final EnsoDevice model = new EnsoDevice(EnsoBoard.DEFAULT, () -> 0,
            (frame, length, cycle) -> sent.countDown());
    private final LoopbackDevice device = LoopbackDevice.open(model);
    private final MemorySegment memory = Arena.ofAuto().allocate(BYTES, 4096);
    private final Registers registers = device.registers(EnsoRegisters.BAR_INDEX);

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void identityIsThatOfTheBoard() {
        assertThat(device.info()).returns(0x1172, i -> i.vendorId()).returns(0, i -> i.deviceId()).returns(0x020000,
                i -> i.classCode());
        assertThat(device.bars()).hasSize(1);
        assertThat(registers.sizeBytes()).isEqualTo(1L << 30);
    }

    @Test
    void withoutBusMasteringDmaIsRefused() {
        setUp();
        device.setBusMaster(false);
        receive();
        assertThat(model.metrics().get(EnsoCounter.DMA_FAULTS)).isEqualTo(2);
    }

    @Test
    void dataAndNotificationArriveThroughTheIommu() {
        setUp();
        receive();
        assertThat(memory.get(ValueLayout.JAVA_LONG, EnsoFormats.SIGNAL)).isEqualTo(EnsoFormats.SIGNAL_DATA);
        assertThat(memory.get(ValueLayout.JAVA_LONG, EnsoFormats.RX_TAIL)).isEqualTo(1);
        assertThat(registers.read32(EnsoRegisters.pipePage(0))).isEqualTo(1);
    }

    @Test
    void itsOwnThreadSendsAndCompletes() {
        setUp();
        model.start(() -> IdleStrategy.spinThenPark(10, 100_000));
        entry(1, EnsoFormats.SIGNAL_DATA, MEMORY + 0x4_0000, 64);
        registers.write32(EnsoRegisters.notificationPage(0) + EnsoRegisters.TX_TAIL, 2);
        Assertions.assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            assertThat(sent.await(20, TimeUnit.SECONDS)).isTrue();
            while ((long) WORD.getAcquire(memory, TX + 64) != EnsoFormats.SIGNAL_DONE) {
                Thread.onSpinWait();
            }
        });
        assertThatThrownBy(() -> model.start(IdleStrategy::spin)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aResetLeavesQueuesAndFlowsWhichLieInMemory() {
        setUp();
        receive();
        device.reset();
        assertThat(registers.read32(EnsoRegisters.RX_ADDRESS_LOW)).isEqualTo((int) MEMORY + 0x4_0000);
        assertThat(registers.read32(EnsoRegisters.pipePage(0))).as("tail").isEqualTo(1);
        receive();
        assertThat(registers.read32(EnsoRegisters.pipePage(0))).as("the fallback pipe is still one").isEqualTo(2);
    }

    @Test
    void aResetOfTheLinkClearsTheSettingsOfTheBoardAndOneOfTheFunctionDoesNot() {
        setUp();
        device.reset();
        assertThat(afterTheLastSlot(3)).isZero();
        AtomicInteger resets = new AtomicInteger();
        model.resetBoardToo(resets::incrementAndGet);
        device.reset();
        assertThat(resets).hasValue(1);
        assertThat(afterTheLastSlot(4)).as("a ring whose size is 0 ends with its pointer").isEqualTo(16384);
        model.board(EnsoBoard.DEFAULT);
        assertThat(afterTheLastSlot(5)).isZero();
    }

    /** Where the notification ring goes on from its last slot. */
    private int afterTheLastSlot(int head) {
        registers.write32(EnsoRegisters.notificationPage(0) + EnsoRegisters.RX_TAIL, 16383);
        registers.write32(EnsoRegisters.notificationPage(0) + EnsoRegisters.RX_HEAD, 9000); // nobody is close behind
        registers.write32(EnsoRegisters.RX_HEAD, head);
        return registers.read32(EnsoRegisters.notificationPage(0) + EnsoRegisters.RX_TAIL);
    }

    @Test
    void countersNeedADeviceThatIsPluggedIn() {
        EnsoDevice loose = new EnsoDevice(EnsoBoard.DEFAULT, () -> 0, WireSink.NONE);
        assertThatThrownBy(loose::metrics).isInstanceOf(IllegalStateException.class);
        assertThat(loose.read(2, 0, 4)).isZero();
        assertThat(loose.work(5)).isZero();
    }

    private void setUp() {
        if (device.addressSpace().faultCount() == 0 && memory.get(ValueLayout.JAVA_LONG, BYTES - 8) == 0) {
            device.addressSpace().mapAt(new Iova(MEMORY), MappableMemory.local(memory), DmaDirection.BOTH);
            memory.set(ValueLayout.JAVA_LONG, BYTES - 8, 1);
        }
        device.setBusMaster(true);
        long page = EnsoRegisters.notificationPage(0);
        registers.write64(page + EnsoRegisters.RX_ADDRESS_LOW, MEMORY);
        registers.write64(page + EnsoRegisters.TX_ADDRESS_LOW, MEMORY + TX);
        registers.write64(EnsoRegisters.RX_ADDRESS_LOW, MEMORY + 0x4_0000);
        entry(0, EnsoFormats.SIGNAL_CONFIG, EnsoFormats.CONFIG_FALLBACK, 1);
        registers.write32(page + EnsoRegisters.TX_TAIL, 1);
        assertThat(model.work(100)).isEqualTo(2);
    }

    private void receive() {
        model.receive(new byte[60], 0, 60);
    }

    private void entry(int slot, long signal, long second, long third) {
        memory.set(ValueLayout.JAVA_LONG, TX + slot * 64L + 8, second);
        memory.set(ValueLayout.JAVA_LONG, TX + slot * 64L + 16, third);
        WORD.setRelease(memory, TX + slot * 64L, signal);
    }
}
