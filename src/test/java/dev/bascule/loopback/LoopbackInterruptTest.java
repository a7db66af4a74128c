package dev.bascule.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Registers;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoopbackInterruptTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long TABLE = 0x800;
    private static final long PENDING = 0xc00;

    private LoopbackDevice device = LoopbackDevice.open(new EchoModel());

    @BeforeEach
    void enable() {
        device.setBusMaster(true);
    }

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void everyKindHasItsCount() {
        assertThat(device.interruptCount(InterruptKind.MSIX)).isEqualTo(4);
        assertThat(device.interruptCount(InterruptKind.MSI)).isEqualTo(4);
        assertThat(device.interruptCount(InterruptKind.INTX)).isEqualTo(1);
        assertThat(device.interruptCount(InterruptKind.REQUEST)).isEqualTo(1);
    }

    @Test
    void vectorIsDeliveredToItsInterruptOnly() {
        Interrupt one = device.openInterrupt(InterruptKind.MSIX, 1, null);
        Interrupt two = device.openInterrupt(InterruptKind.MSIX, 2, null);
        raise(2);
        raise(2);
        assertThat(one.poll()).isZero();
        assertThat(two.poll()).isEqualTo(2);
        assertThat(two.poll()).isZero();
        raise(3);
        raise(99);
        assertThat(device.droppedInterrupts()).as("one masked pending, one without vector").isEqualTo(1);
    }

    @Test
    void maskedVectorIsPendingAndDeliveredOnceAfterwards() {
        Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 1, null);
        interrupt.mask();
        raise(1);
        raise(1);
        assertThat(interrupt.pending()).isTrue();
        assertThat(interrupt.poll()).isZero();
        assertThat(device.registers(0).read64(PENDING)).as("pending bits").isEqualTo(2);
        interrupt.unmask();
        assertThat(interrupt.poll()).isEqualTo(1);
        assertThat(interrupt.pending()).isFalse();
        assertThat(device.registers(0).read64(PENDING)).isZero();
    }

    @Test
    void tableInTheBarMasksAndUnmasks() {
        Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null);
        Registers registers = device.registers(0);
        registers.write64(TABLE, 0xfee00000L);
        assertThat(registers.read64(TABLE)).isEqualTo(0xfee00000L);
        assertThat(registers.read32(TABLE + 12)).as("unmasked by opening").isZero();
        assertThat(registers.read32(TABLE + 16 + 12)).as("masked after reset").isEqualTo(1);
        registers.write32(TABLE + 12, 1);
        raise(0);
        assertThat(interrupt.poll()).isZero();
        registers.write32(TABLE + 12, 0);
        assertThat(interrupt.poll()).isEqualTo(1);
        registers.write64(PENDING, -1);
        assertThat(registers.read64(PENDING)).as("pending bits are read-only").isZero();
    }

    @Test
    void functionMaskHoldsEverythingBack() {
        Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null);
        int control = msixControl();
        device.config().write16(control, device.config().read16(control) | 0x4000);
        raise(0);
        assertThat(interrupt.poll()).isZero();
        device.config().write16(control, device.config().read16(control) & ~0x4000);
        assertThat(interrupt.poll()).isEqualTo(1);
    }

    @Test
    void messagesNeedBusMastering() {
        Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null);
        device.setBusMaster(false);
        raise(0);
        assertThat(interrupt.poll()).isZero();
    }

    @Test
    void msiIsUsedWhenMsixIsOff() {
        Interrupt interrupt = device.openInterrupt(InterruptKind.MSI, 3, null);
        raise(3);
        assertThat(interrupt.poll()).isEqualTo(1);
        interrupt.mask();
        raise(3);
        assertThat(interrupt.pending()).isTrue();
        assertThat(interrupt.poll()).isZero();
        interrupt.unmask();
        assertThat(interrupt.poll()).isEqualTo(1);
    }

    @Test
    void pinIsMaskedByItsDeliveryAndComesAgainWhileAsserted() {
        Interrupt interrupt = device.openInterrupt(InterruptKind.INTX, 0, null);
        device.registers(0).write32(EchoModel.PIN, 1);
        assertThat(interrupt.poll()).isEqualTo(1);
        assertThat(interrupt.pending()).isTrue();
        interrupt.unmask();
        assertThat(interrupt.poll()).as("level still up").isEqualTo(1);
        device.registers(0).write32(EchoModel.PIN, 0);
        interrupt.unmask();
        assertThat(interrupt.poll()).isZero();
    }

    @Test
    void handlerRunsForEachDelivery() throws InterruptedException {
        Semaphore handled = new Semaphore(0);
        device.openInterrupt(InterruptKind.MSIX, 0, () -> {
            device.registers(0).read32(EchoModel.COUNTER); // a handler may use the device
            handled.release();
        });
        raise(0);
        raise(0);
        assertThat(handled.tryAcquire(2, 30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void eventFdBecomesReadable() {
        Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null);
        raise(0);
        int number = interrupt.eventFd();
        assertThat(number).isNotNegative();
        assertThat(readable(number)).as("raised before it was asked for").isTrue();
        assertThat(interrupt.poll()).isEqualTo(1);
        assertThat(readable(number)).as("taken").isFalse();
        raise(0);
        assertThat(readable(number)).isTrue();
        interrupt.close();
        assertThat(interrupt.eventFd()).isEqualTo(Interrupt.NO_EVENT_FD);
    }

    @Test
    void awaitIsWokenByARaise() throws InterruptedException {
        Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null);
        Thread raiser = Thread.ofPlatform().start(() -> raise(0));
        assertThat(interrupt.await(30 * SECOND)).isEqualTo(1);
        raiser.join();
        long start = System.nanoTime();
        assertThat(interrupt.await(1_000_000)).isZero();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(1_000_000);
    }

    @Test
    void deliveryTakesTheTimeOfTheLink() throws InterruptedException {
        long delay = 20_000_000;
        reopen(LinkProfile.ZERO.withMsix(delay));
        Semaphore handled = new Semaphore(0);
        Interrupt polled = device.openInterrupt(InterruptKind.MSIX, 0, null);
        device.openInterrupt(InterruptKind.MSIX, 1, handled::release);
        long start = System.nanoTime();
        raise(0);
        raise(1);
        assertThat(polled.await(30 * SECOND)).isEqualTo(1);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(delay);
        assertThat(handled.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(delay);
    }

    @Test
    void lostLateAndDuplicateInterruptsFollowThePlan() {
        reopen(LinkProfile.ZERO, "drop:interrupt:message=0", "duplicate:interrupt:message=1",
                "delay:interrupt:message=2:amount=10000000");
        Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null);
        raise(0);
        assertThat(interrupt.poll()).isZero();
        raise(0);
        assertThat(interrupt.poll()).isEqualTo(2);
        long start = System.nanoTime();
        raise(0);
        assertThat(interrupt.await(30 * SECOND)).isEqualTo(1);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(10_000_000);
    }

    @Test
    void removalIsToldAndStopsMessages() {
        Interrupt request = device.openInterrupt(InterruptKind.REQUEST, 0, null);
        Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null);
        device.surpriseRemove();
        assertThat(request.poll()).isEqualTo(1);
        raise(0);
        assertThat(interrupt.poll()).isZero();
    }

    @Test
    void resetClosesVectors() {
        Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 0, null);
        device.reset();
        device.setBusMaster(true);
        raise(0);
        assertThat(interrupt.poll()).isZero();
        Interrupt again = device.openInterrupt(InterruptKind.MSIX, 0, null);
        raise(0);
        assertThat(again.poll()).isEqualTo(1);
    }

    @Test
    void vectorsThatDoNotExistOrAreTakenAreRefused() {
        device.openInterrupt(InterruptKind.MSIX, 0, null);
        assertThatThrownBy(() -> device.openInterrupt(InterruptKind.MSIX, 0, null))
                .hasMessageContaining("open already");
        assertThatThrownBy(() -> device.openInterrupt(InterruptKind.MSIX, 4, null))
                .hasMessageContaining("has 4 of that kind");
    }

    private void raise(int vector) {
        device.registers(0).write32(EchoModel.RAISE, vector);
    }

    private int msixControl() {
        return dev.bascule.pci.MsixCapability.of(new EchoModel().powerOnConfig()).orElseThrow().offset() + 2;
    }

    private static boolean readable(int number) {
        return EventFd.of(Fd.adopt(number, "borrowed")).take() > 0; // never closed here
    }

    private void reopen(LinkProfile profile, String... rules) {
        device.close();
        FaultRule[] parsed = java.util.Arrays.stream(rules).map(FaultRule::parse).toArray(FaultRule[]::new);
        device = LoopbackDevice.open(new EchoModel(), new LoopbackAddressSpace(), profile, FaultPlan.of(1, parsed));
        device.setBusMaster(true);
    }
}
