package dev.bascule.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.memory.DmaBuffer;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every backing that hosts a {@link DeviceModel} must do, whatever lies between driver and model. */
@SuppressWarnings("NullAway.Init")
public abstract class DeviceConformance {
    private static final long SECOND = 1_000_000_000L;
    private static final long PAGE = 4096;

    protected final ProbeModel model = new ProbeModel();
    private DeviceBacking device;

    /** Hosts the model. */
    protected abstract DeviceBacking open(ProbeModel probe);

    /** Takes the host away, after the device was closed. */
    protected void stop() {}

    @BeforeEach
    void openDevice() {
        device = open(model);
    }

    @AfterEach
    void closeDevice() {
        device.close();
        stop();
    }

    protected final DeviceBacking device() {
        return device;
    }

    @Test
    void theDeviceIsDescribed() {
        assertThat(device.info().vendorId()).isEqualTo(0x1234);
        assertThat(device.info().deviceId()).isEqualTo(0x0e00);
        assertThat(device.info().classCode()).isEqualTo(0xff0000);
        assertThat(device.bars()).extracting(Bar::index).containsExactly(0, 2, 4);
        assertThat(device.bars()).extracting(Bar::sizeBytes).containsExactly(4096L, 16384L, 16384L);
        assertThat(device.bar(2).wide()).isTrue();
        assertThat(device.bar(4).prefetchable()).isTrue();
        assertThat(device.config().sizeBytes()).isEqualTo(4096);
        assertThatThrownBy(() -> device.registers(1)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("does not implement it").hasMessageContaining("[0, 2, 4]");
    }

    @Test
    void registersKeepEveryWidthAndReachTheModelInIt() {
        Registers registers = device.registers(0);
        registers.write64(0, 0x1122334455667788L);
        assertThat(registers.read8(1)).isEqualTo(0x77);
        assertThat(registers.read16(6)).isEqualTo(0x1122);
        assertThat(registers.read32(4)).isEqualTo(0x11223344);
        registers.write16(2, 0xabcd);
        registers.write8(0, 0xef);
        registers.write32(4, 0x01020304);
        assertThat(registers.read64(0)).isEqualTo(0x01020304abcd77efL);
        assertThat(model.log()).containsExactly("0/8=1122334455667788", "2/2=abcd", "0/1=ef", "4/4=1020304");
    }

    @Test
    void readsHaveTheirSideEffectOnce() {
        assertThat(device.registers(0).read32(ProbeModel.COUNTER)).isZero();
        assertThat(device.registers(0).read32(ProbeModel.COUNTER)).isEqualTo(1);
    }

    @Test
    void badAccessesAreRefusedBeforeTheyLeave() {
        Registers registers = device.registers(0);
        assertThatThrownBy(() -> registers.read32(2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> registers.read32(4096)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> registers.write8(-1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> registers.read(0, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThat(model.log()).isEmpty();
    }

    @Test
    void configSpaceIsThatOfTheModelAndKeepsWhatMayBeWritten() {
        byte[] expected = model.powerOnConfig().toBytes();
        byte[] found = new byte[4096];
        for (int i = 0; i < found.length; i++) {
            found[i] = (byte) device.config().read8(i);
        }
        assertThat(found).isEqualTo(expected);
        device.config().write32(0x10, -1);
        assertThat(device.config().read32(0x10)).as("BAR 0 answers sizing").isEqualTo(-4096);
        device.config().write16(0, 0xdead);
        assertThat(device.config().read16(0)).as("vendor").isEqualTo(0x1234);
    }

    @Test
    void memoryBarIsReachedByRegistersByMappingAndByWindow() {
        device.registers(2).write64(64, 7);
        MemorySegment mapped = device.memory(2, 64, 64);
        assertThat(device.registers(2).read64(64)).isEqualTo(7);
        assertThat(mapped.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(7);
        Window window = device.window(2, MemoryType.WC);
        window.storeRelease(64, 8);
        window.writeFence();
        assertThat(device.registers(2).read64(64)).isEqualTo(8);
        assertThat(model.memory().get(ValueLayout.JAVA_LONG, 64)).isEqualTo(8);
        assertThat(model.log()).as("memory accesses do not reach the model").isEmpty();
    }

    @Test
    void onlyTheMemoryPartOfABarCanBeMapped() {
        MemorySegment area = device.memory(4, ProbeModel.AREA_OFFSET + 8, 64);
        area.set(ValueLayout.JAVA_LONG, 0, 0x77L);
        assertThat(device.registers(4).read64(ProbeModel.AREA_OFFSET + 8)).isEqualTo(0x77);
        device.registers(4).write32(0, 5);
        assertThat(device.registers(4).read32(0)).isZero();
        assertThat(model.log()).containsExactly("4:0/4=5");
        assertThatThrownBy(() -> device.memory(4, 0, 64)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("use registers(4)");
        assertThatThrownBy(() -> device.memory(4, ProbeModel.AREA_OFFSET, ProbeModel.AREA_BYTES + 1))
                .isInstanceOf(DeviceException.class);
        assertThatThrownBy(() -> device.window(0, MemoryType.WC)).hasMessageContaining("not prefetchable");
    }

    @Test
    void dmaCopiesOnceBusMasteringIsOn() {
        try (DmaBuffer buffer = buffer(8 * PAGE)) {
            Iova iova = device.addressSpace().map(mappable(buffer), DmaDirection.BOTH);
            byte[] bytes = random(3 * (int) PAGE + 5);
            MemorySegment.copy(bytes, 0, buffer.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
            assertThat(copy(iova.value(), iova.plus(4 * PAGE).value(), bytes.length, 1)).as("bus master off").isFalse();
            device.setBusMaster(true);
            assertThat(copy(iova.value(), iova.plus(4 * PAGE).value(), bytes.length, 1)).isTrue();
            assertThat(buffer.segment().asSlice(4 * PAGE, bytes.length).toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(bytes);
            assertThat(copy(iova.value(), iova.plus(4 * PAGE + 1).value(), 4096, 2)).as("own thread").isTrue();
            assertThat(buffer.segment().asSlice(4 * PAGE + 1, 4096).toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(java.util.Arrays.copyOf(bytes, 4096));
            device.addressSpace().unmap(iova);
            assertThat(copy(iova.value(), iova.plus(4 * PAGE).value(), 64, 1)).as("unmapped").isFalse();
        }
    }

    @Test
    void dmaSpansMappingsAndFailsAsAWholeAtAHole() {
        try (DmaBuffer one = buffer(2 * PAGE); DmaBuffer two = buffer(2 * PAGE); DmaBuffer target = buffer(4 * PAGE)) {
            AddressSpace space = device.addressSpace();
            space.mapAt(new Iova(0x10000), mappable(two), DmaDirection.BOTH);
            space.mapAt(new Iova(0x10000 + 2 * PAGE), mappable(one), DmaDirection.BOTH);
            Iova to = space.map(mappable(target), DmaDirection.BOTH);
            device.setBusMaster(true);
            one.segment().fill((byte) 1);
            two.segment().fill((byte) 2);
            assertThat(copy(0x10000 + 2 * PAGE - 100, to.value(), 200, 1)).isTrue();
            assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 99)).isEqualTo((byte) 2);
            assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 100)).isEqualTo((byte) 1);
            target.segment().fill((byte) 9);
            assertThat(copy(0x10000 + 4 * PAGE - 100, to.value(), 200, 1)).as("beyond the end").isFalse();
            assertThat(target.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 9);
            assertThatThrownBy(() -> space.mapAt(new Iova(0x10000 + PAGE), mappable(two), DmaDirection.BOTH))
                    .isInstanceOf(DeviceException.class).hasMessageContaining("overlaps");
            assertThatThrownBy(() -> space.unmap(new Iova(0x10000 + PAGE))).hasMessageContaining("no mapping starts");
            space.unmap(new Iova(0x10000));
            space.unmap(new Iova(0x10000 + 2 * PAGE));
            space.unmap(to);
        }
    }

    @Test
    void directionsOfMappingsAreObeyed() {
        try (DmaBuffer from = buffer(PAGE); DmaBuffer to = buffer(PAGE)) {
            Iova source = device.addressSpace().map(mappable(from), DmaDirection.DEVICE_READS);
            Iova target = device.addressSpace().map(mappable(to), DmaDirection.DEVICE_WRITES);
            device.setBusMaster(true);
            from.segment().fill((byte) 3);
            assertThat(copy(source.value(), target.value(), 64, 1)).isTrue();
            assertThat(to.segment().get(ValueLayout.JAVA_BYTE, 63)).isEqualTo((byte) 3);
            assertThat(copy(target.value(), target.value(), 64, 1)).as("reads what it may only write").isFalse();
            assertThat(copy(source.value(), source.value(), 64, 1)).as("writes what it may only read").isFalse();
            device.addressSpace().unmap(source);
            device.addressSpace().unmap(target);
        }
    }

    @Test
    void memoryWithoutADescriptorIsReachedToo() {
        MemorySegment bytes = java.lang.foreign.Arena.ofAuto().allocate(4 * PAGE, PAGE);
        Iova iova = device.addressSpace().map(MappableMemory.local(bytes), DmaDirection.BOTH);
        device.setBusMaster(true);
        byte[] content = random((int) PAGE);
        MemorySegment.copy(content, 0, bytes, ValueLayout.JAVA_BYTE, 0, content.length);
        assertThat(copy(iova.value(), iova.plus(PAGE + 7).value(), content.length, 1)).as("in the write").isTrue();
        assertThat(bytes.asSlice(PAGE + 7, PAGE).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
        assertThat(copy(iova.value(), iova.plus(2 * PAGE + 9).value(), content.length, 2)).as("own thread").isTrue();
        assertThat(bytes.asSlice(2 * PAGE + 9, PAGE).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
        device.addressSpace().unmap(iova);
    }

    @Test
    void messageInterruptsAreDeliveredMaskedAndPending() {
        device.setBusMaster(true);
        assertThat(device.interruptCount(InterruptKind.MSIX)).isEqualTo(ProbeModel.VECTORS);
        try (Interrupt one = device.openInterrupt(InterruptKind.MSIX, 1, null);
                Interrupt two = device.openInterrupt(InterruptKind.MSIX, 2, null)) {
            raise(2);
            raise(2);
            raise(99);
            assertThat(one.poll()).isZero();
            assertThat(two.await(SECOND)).isEqualTo(2);
            one.mask();
            raise(1);
            assertThat(device.registers(0).read64(ProbeModel.PENDING)).isEqualTo(2);
            assertThat(one.pending()).isTrue();
            assertThat(one.poll()).isZero();
            one.unmask();
            assertThat(one.await(SECOND)).isEqualTo(1);
            assertThat(one.pending()).isFalse();
            assertThatThrownBy(() -> device.openInterrupt(InterruptKind.MSIX, 2, null))
                    .isInstanceOf(DeviceException.class).hasMessageContaining("open already");
            assertThatThrownBy(() -> device.openInterrupt(InterruptKind.MSIX, ProbeModel.VECTORS, null))
                    .hasMessageContaining("has 4 of that kind");
        }
    }

    @Test
    void tableInTheBarMasks() {
        device.setBusMaster(true);
        try (Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null)) {
            Registers registers = device.registers(0);
            registers.write64(ProbeModel.TABLE, 0xfee00000L);
            assertThat(registers.read64(ProbeModel.TABLE)).isEqualTo(0xfee00000L);
            assertThat(registers.read32(ProbeModel.TABLE + 12)).as("unmasked by opening").isZero();
            registers.write32(ProbeModel.TABLE + 12, 1);
            raise(0);
            assertThat(interrupt.poll()).isZero();
            registers.write32(ProbeModel.TABLE + 12, 0);
            registers.read32(ProbeModel.TABLE);
            assertThat(interrupt.await(SECOND)).isEqualTo(1);
        }
    }

    @Test
    void handlersRunOnAnotherThreadAndMayUseTheDevice() throws InterruptedException {
        device.setBusMaster(true);
        Semaphore ran = new Semaphore(0);
        Thread caller = Thread.currentThread();
        try (Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 3, () -> {
            device.registers(0).write32(8, Thread.currentThread() == caller ? 1 : 2);
            ran.release();
        })) {
            assertThat(interrupt.vector()).isEqualTo(3);
            raise(3);
            assertThat(ran.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
            assertThat(device.registers(0).read32(8)).isEqualTo(2);
        }
    }

    @Test
    void pinIsMaskedByItsDeliveryAndDeliveredAgainWhileAsserted() {
        try (Interrupt pin = device.openInterrupt(InterruptKind.INTX, 0, null)) {
            device.registers(0).write32(ProbeModel.PIN, 1);
            assertThat(pin.await(SECOND)).isEqualTo(1);
            assertThat(pin.poll()).isZero();
            pin.unmask();
            assertThat(pin.await(SECOND)).as("still asserted").isEqualTo(1);
            device.registers(0).write32(ProbeModel.PIN, 0);
            device.registers(0).read32(0);
            pin.unmask();
            assertThat(pin.poll()).isZero();
        }
    }

    @Test
    void plainMessagesAreDelivered() {
        device.setBusMaster(true);
        try (Interrupt interrupt = device.openInterrupt(InterruptKind.MSI, 1, null)) {
            raise(1);
            assertThat(interrupt.await(SECOND)).isEqualTo(1);
            interrupt.mask();
            raise(1);
            assertThat(interrupt.pending()).isTrue();
            interrupt.unmask();
            assertThat(interrupt.await(SECOND)).isEqualTo(1);
        }
    }

    @Test
    void nothingIsRaisedWithoutBusMastering() {
        try (Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null)) {
            raise(0);
            assertThat(interrupt.poll()).isZero();
            assertThat(interrupt.pending()).isFalse();
        }
    }

    @Test
    void resetTakesRegistersAndInterruptsButNotMappings() {
        try (DmaBuffer buffer = buffer(2 * PAGE)) {
            Iova iova = device.addressSpace().map(mappable(buffer), DmaDirection.BOTH);
            device.setBusMaster(true);
            device.openInterrupt(InterruptKind.MSIX, 0, null);
            device.registers(0).write32(0, 77);
            int resets = model.resets();
            device.reset();
            assertThat(model.resets()).isEqualTo(resets + 1);
            assertThat(device.registers(0).read32(0)).isZero();
            assertThat(device.config().read16(4) & 4).as("bus mastering").isZero();
            device.setBusMaster(true);
            assertThat(copy(iova.value(), iova.plus(PAGE).value(), 64, 1)).isTrue();
            device.openInterrupt(InterruptKind.MSIX, 0, null).close();
            device.addressSpace().unmap(iova);
        }
    }

    @Test
    void functionLevelResetThroughConfigSpaceResets() {
        device.registers(0).write32(0, 77);
        int express = express();
        int resets = model.resets();
        device.config().write16(express + 8, 0x8000);
        assertThat(device.registers(0).read32(0)).isZero();
        assertThat(model.resets()).isEqualTo(resets + 1);
        assertThat(device.config().read16(express + 8) & 0x8000).isZero();
    }

    @Test
    void afterCloseEverythingIsAnIllegalState() {
        device.close();
        device.close();
        assertThatThrownBy(() -> device.registers(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> device.reset()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> device.openInterrupt(InterruptKind.MSIX, 0, null))
                .isInstanceOf(IllegalStateException.class);
    }

    private int express() {
        int at = device.config().read8(0x34);
        while (device.config().read8(at) != 0x10) {
            at = device.config().read8(at + 1);
        }
        return at;
    }

    private void raise(int vector) {
        device.registers(0).write32(ProbeModel.RAISE, vector);
        device.registers(0).read32(0); // so that a posted write has arrived
    }

    /** Lets the device copy; whether it could. */
    private boolean copy(long from, long to, long bytes, int way) {
        Registers registers = device.registers(0);
        long before = registers.read64(ProbeModel.COPIES);
        registers.write64(ProbeModel.SOURCE, from);
        registers.write64(ProbeModel.TARGET, to);
        registers.write64(ProbeModel.LENGTH, bytes);
        registers.write32(ProbeModel.COPY, way);
        long deadline = System.nanoTime() + 30 * SECOND;
        long after = registers.read64(ProbeModel.COPIES);
        while (after == before && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
            after = registers.read64(ProbeModel.COPIES);
        }
        assertThat(after).as("the copy ended").isNotEqualTo(before);
        return after == before + 1;
    }

    private static DmaBuffer buffer(long bytes) {
        return DmaBuffer.allocate("conformance", bytes, DmaBuffer.Locking.PREFERRED);
    }

    private static MappableMemory mappable(DmaBuffer buffer) {
        return new MappableMemory(buffer.segment(), buffer.fileDescriptor(), 0);
    }

    private static byte[] random(int bytes) {
        byte[] content = new byte[bytes];
        new Random(7).nextBytes(content);
        return content;
    }
}
