package dev.bascule.model.smartnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Registers;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LoopbackAddressSpace;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.nic.smartnic.SmartNicRegisters;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SmartNicModelTest {
    private final SmartNicRegion region = SmartNicRegion.inProcess(
            SmartNicConfig.DEFAULT.withSizes(65536, 4096).withProfile(LinkProfile.ZERO.withMmioWrite(0, 1_000_000)));
    private final SmartNicModel model = new SmartNicModel(region);
    private final LoopbackDevice device = LoopbackDevice.open(model, new LoopbackAddressSpace(), LinkProfile.ZERO,
            FaultPlan.NONE);
    private final Registers registers = device.registers(0);

    @AfterEach
    void close() {
        device.close();
        region.close();
    }

    @Test
    void identityAndSizesAreReadable() {
        assertThat(registers.read32(SmartNicRegisters.IDENTITY)).isEqualTo((int) SmartNicRegisters.IDENTITY_VALUE);
        assertThat(registers.read32(SmartNicRegisters.VERSION)).isEqualTo(0x10000);
        assertThat(registers.read64(SmartNicRegisters.NIC_MEMORY_LOW)).isEqualTo(65536);
        assertThat(registers.read32(SmartNicRegisters.SIGNALS)).isEqualTo(64);
        assertThat(registers.read8(SmartNicRegisters.IDENTITY + 1)).as("second letter").isEqualTo('A');
        assertThat(device.bar(2).sizeBytes()).isEqualTo(65536);
        assertThat(device.bar(2).prefetchable()).isTrue();
    }

    @Test
    void scratchKeepsAndResetForgets() {
        registers.write32(SmartNicRegisters.SCRATCH, 0xdeadbeef);
        assertThat(registers.read32(SmartNicRegisters.SCRATCH)).isEqualTo(0xdeadbeef);
        device.reset();
        assertThat(registers.read32(SmartNicRegisters.SCRATCH)).isZero();
    }

    @Test
    void barTwoIsTheRegionsMemoryWithItsDelays() {
        Window host = device.window(2, MemoryType.WC);
        Window nic = region.nic().memory();
        host.storeRelease(64, 9);
        host.writeFence();
        while (!nic.arrived(64)) {
            Thread.onSpinWait();
        }
        assertThat(nic.loadAcquire(64)).isEqualTo(9);
        assertThat(region.nicMappable().fileDescriptor()).isNotNegative();
        assertThat(region.nicMappable().fileOffset()).isEqualTo(16384);
    }

    @Test
    void doorbellRegisterRingsTheNic() {
        SignalReceiver doorbell = region.nic().doorbell(5);
        registers.write32(SmartNicRegisters.DOORBELLS + 5 * 8, 77);
        assertThat(doorbell.await(1_000_000_000)).isEqualTo(1);
        assertThat(doorbell.value()).isEqualTo(77);
        registers.write16(SmartNicRegisters.DOORBELLS + 5 * 8, 1);
        assertThat(doorbell.poll()).as("half a word rings nothing").isZero();
    }

    @Test
    void triggerRaisesAnInterrupt() {
        device.setBusMaster(true);
        Interrupt interrupt = device.openInterrupt(InterruptKind.MSIX, 63, null);
        registers.write32(SmartNicRegisters.TRIGGER, 63);
        assertThat(interrupt.poll()).isEqualTo(1);
        model.raise(63);
        assertThat(interrupt.poll()).isEqualTo(1);
        registers.write32(SmartNicRegisters.TRIGGER, 64);
        assertThat(device.droppedInterrupts()).isEqualTo(1);
        assertThat(registers.read32(SmartNicRegisters.TRIGGER_COUNT)).isEqualTo(2);
    }

    @Test
    void anyAccessIsBorne() {
        long seed = System.nanoTime();
        System.out.println("anyAccessIsBorne seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 50_000; i++) {
            int width = 1 << random.nextInt(4);
            long offset = random.nextLong(65536 / width) * width;
            registers.write(offset, width, random.nextLong());
            registers.read(offset, width);
        }
        assertThat(registers.read32(SmartNicRegisters.IDENTITY)).as("seed %d", seed)
                .isEqualTo((int) SmartNicRegisters.IDENTITY_VALUE);
    }
}
