package dev.bascule.bench;

import dev.bascule.device.DmaDirection;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.memory.Hugepages;
import dev.bascule.nic.edu.EduRegisters;
import dev.bascule.pci.PciAddress;
import dev.bascule.vfio.VfioDevice;
import dev.bascule.vfio.VfioOptions;
import dev.bascule.vfio.VfioOptions.KernelInterface;

/** The steps through the framework's public API, by the group interface as the C twin. One thread. */
final class VfioJava implements VfioSteps {
    private static final long TIMEOUT_NANOS = 20_000_000_000L;
    private static final int CAUSE = 2;

    private final DmaBuffer small = DmaBuffer.allocate("small", 4096, DmaBuffer.Locking.PREFERRED);
    private final DmaBuffer huge = DmaBuffer.allocateHuge("huge", Hugepages.SIZE_2M, Hugepages.SIZE_2M);
    private final VfioDevice device;
    private final Registers registers;
    private final Interrupt interrupt;

    VfioJava(PciAddress address) {
        device = VfioDevice.open(address, VfioOptions.DEFAULT.with(KernelInterface.GROUP));
        registers = device.registers(0);
        interrupt = device.openInterrupt(InterruptKind.MSI, 0, null);
        device.setBusMaster(true);
    }

    @Override
    public void run(Step step, long count) {
        switch (step) {
            case READ -> read(count);
            case WRITE -> write(count);
            case MAP_SMALL -> map(small, count);
            case MAP_HUGE -> map(huge, count);
            case INTERRUPT -> interrupt(count);
        }
    }

    private void read(long count) {
        int sum = 0;
        for (long i = 0; i < count; i++) {
            sum += registers.read32(EduRegisters.LIVENESS);
        }
        if (sum == 1) {
            throw new IllegalStateException("the register counts");
        }
    }

    private void write(long count) {
        for (long i = 0; i < count; i++) {
            registers.write32(EduRegisters.LIVENESS, (int) i);
        }
    }

    private void map(DmaBuffer buffer, long count) {
        for (long i = 0; i < count; i++) {
            device.addressSpace().unmap(device.addressSpace().map(MappableMemory.local(buffer.segment()),
                    DmaDirection.BOTH));
        }
    }

    private void interrupt(long count) {
        for (long i = 0; i < count; i++) {
            registers.write32(EduRegisters.INTERRUPT_RAISE, CAUSE);
            long delivered = interrupt.await(TIMEOUT_NANOS);
            int cause = registers.read32(EduRegisters.INTERRUPT_STATUS);
            if (delivered == 0 || cause != CAUSE) {
                throw new IllegalStateException("no interrupt, or cause " + cause);
            }
            registers.write32(EduRegisters.INTERRUPT_ACKNOWLEDGE, cause);
        }
    }

    @Override
    public void close() {
        interrupt.close();
        device.close();
        huge.close();
        small.close();
    }
}
