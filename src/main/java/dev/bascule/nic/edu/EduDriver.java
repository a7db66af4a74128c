package dev.bascule.nic.edu;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.ffi.Patience;
import dev.bascule.memory.DmaBuffer;
import java.lang.foreign.MemorySegment;

/**
 * Drives an edu device behind any backing: registers, one interrupt, a DMA engine. The smallest complete driver here;
 * start reading drivers with it.
 * <p>
 * Thread rule: one thread. Errors: {@link DeviceException}; a transfer the IOMMU refused is one too.
 */
public final class EduDriver implements AutoCloseable {
    /**
     * QEMU 7.2 refuses a transfer that ends at the very end of the buffer, so this is the most that one transfer moves.
     */
    public static final int MAX_TRANSFER_BYTES = EduRegisters.BUFFER_BYTES / 2;

    /** Any address the device can drive will do; this one is clear of everything in low memory. */
    private static final long BUFFER_IOVA = 16 << 20;
    private static final long STAGING_BYTES = 4096;

    private final DeviceBacking backing;
    private final Registers registers;
    private final DmaBuffer staging;
    private final Interrupt interrupt;
    private final long timeoutNanos;

    private EduDriver(DeviceBacking backing, Registers registers, DmaBuffer staging, Interrupt interrupt,
            long timeoutNanos) {
        this.backing = backing;
        this.registers = registers;
        this.staging = staging;
        this.interrupt = interrupt;
        this.timeoutNanos = timeoutNanos;
    }

    /**
     * Takes the device over, with MSI if it has that, else with the pin. The backing stays the caller's.
     *
     * @param timeoutNanos longest wait for an answer of the device
     */
    public static EduDriver open(DeviceBacking backing, long timeoutNanos) {
        return open(backing, backing.interruptCount(InterruptKind.MSI) > 0 ? InterruptKind.MSI : InterruptKind.INTX,
                timeoutNanos);
    }

    /** As above with a given kind of interrupt. */
    public static EduDriver open(DeviceBacking backing, InterruptKind kind, long timeoutNanos) {
        Registers registers = backing.registers(0);
        int identity = registers.read32(EduRegisters.IDENTITY);
        if ((identity & 0xff) != EduRegisters.IDENTITY_MARK) {
            throw new DeviceFormatException("open edu", backing.info().toString(),
                    "its identity reads 0x" + Integer.toHexString(identity), "name an edu device (1234:11e8)");
        }
        DmaBuffer staging = DmaBuffer.allocate("edu", STAGING_BYTES, DmaBuffer.Locking.PREFERRED);
        try {
            backing.addressSpace().mapAt(new Iova(BUFFER_IOVA),
                    new MappableMemory(staging.segment(), staging.fileDescriptor(), 0), DmaDirection.BOTH);
            staging.assignIova(BUFFER_IOVA);
            Interrupt interrupt = backing.openInterrupt(kind, 0, null);
            backing.setBusMaster(true);
            return new EduDriver(backing, registers, staging, interrupt, timeoutNanos);
        } catch (RuntimeException e) {
            release(backing, staging);
            throw e;
        }
    }

    /** Whether the device answers: writes a value and reads back its inverse. */
    public boolean isAlive() {
        registers.write32(EduRegisters.LIVENESS, 0x2a5a_1234);
        return registers.read32(EduRegisters.LIVENESS) == ~0x2a5a_1234;
    }

    /** n! modulo 2^32, computed by the device, awaited by interrupt. */
    public int factorial(int n) {
        registers.write32(EduRegisters.STATUS, EduRegisters.STATUS_INTERRUPT);
        registers.write32(EduRegisters.FACTORIAL, n);
        awaitCause(EduRegisters.CAUSE_FACTORIAL, "factorial of " + n);
        return registers.read32(EduRegisters.FACTORIAL);
    }

    /** Lets the device raise an interrupt and waits for it. */
    public void interruptYourself() {
        registers.write32(EduRegisters.INTERRUPT_RAISE, 2);
        awaitCause(2, "interrupt on request");
    }

    /** Copies memory into the device's buffer by DMA. */
    public void toDevice(MemorySegment from, int bufferOffset) {
        requireSize(from.byteSize(), bufferOffset);
        staging.segment().copyFrom(from);
        transfer(new Iova(BUFFER_IOVA), bufferOffset, from.byteSize(), false);
    }

    /** Copies part of the device's buffer into memory by DMA. */
    public void fromDevice(MemorySegment to, int bufferOffset) {
        requireSize(to.byteSize(), bufferOffset);
        transfer(new Iova(BUFFER_IOVA), bufferOffset, to.byteSize(), true);
        to.copyFrom(staging.segment().asSlice(0, to.byteSize()));
    }

    private static void requireSize(long bytes, int bufferOffset) {
        if (bytes < 1 || bytes > MAX_TRANSFER_BYTES || bufferOffset < 0
                || bufferOffset + bytes >= EduRegisters.BUFFER_BYTES) {
            throw new IllegalArgumentException("a transfer of " + bytes + " bytes at " + bufferOffset
                    + " of the device; at most " + MAX_TRANSFER_BYTES + ", within 4096");
        }
    }

    /**
     * One transfer between any address of the host and the device's buffer, awaited by interrupt.
     *
     * @throws DeviceException when the device cannot drive the address, does not answer, or the address space has
     *         reported a refused access by then; the kernel may report it later, see {@code AddressSpace.faultCount}
     */
    public void transfer(Iova host, int bufferOffset, long bytes, boolean toHost) {
        if (host.value() < 0 || host.value() + bytes > 1L << EduRegisters.ADDRESS_BITS) {
            throw new DeviceException("transfer by DMA", backing.info() + ", " + host,
                    "the device drives " + EduRegisters.ADDRESS_BITS + " address bits", "map the memory lower");
        }
        long faults = backing.addressSpace().faultCount();
        long device = EduRegisters.BUFFER + bufferOffset;
        registers.write64(EduRegisters.DMA_SOURCE, toHost ? device : host.value());
        registers.write64(EduRegisters.DMA_DESTINATION, toHost ? host.value() : device);
        registers.write64(EduRegisters.DMA_COUNT, bytes);
        registers.write64(EduRegisters.DMA_COMMAND, EduRegisters.DMA_START | EduRegisters.DMA_INTERRUPT
                | (toHost ? EduRegisters.DMA_TO_HOST : 0));
        awaitCause(EduRegisters.CAUSE_DMA, "transfer of " + bytes + " bytes");
        if (backing.addressSpace().faultCount() != faults) {
            throw new DeviceException("transfer by DMA", backing.info() + ", " + host, "the IOMMU refused it: "
                    + backing.addressSpace().recentFaults(), "map the memory before");
        }
    }

    /** Starts a transfer and returns at once, without an interrupt: for tests that want DMA in flight. */
    public void startTransfer(Iova host, int bufferOffset, long bytes, boolean toHost) {
        long device = EduRegisters.BUFFER + bufferOffset;
        registers.write64(EduRegisters.DMA_SOURCE, toHost ? device : host.value());
        registers.write64(EduRegisters.DMA_DESTINATION, toHost ? host.value() : device);
        registers.write64(EduRegisters.DMA_COUNT, bytes);
        registers.write64(EduRegisters.DMA_COMMAND, EduRegisters.DMA_START
                | (toHost ? EduRegisters.DMA_TO_HOST : 0));
    }

    /** Address of the driver's own buffer for the device. */
    public Iova bufferIova() {
        return new Iova(BUFFER_IOVA);
    }

    private void awaitCause(int cause, String what) {
        Patience patience = new Patience(timeoutNanos, backing::nanoTime, () -> 0);
        int all = 0;
        while (true) {
            boolean isOver = patience.isOver();
            long delivered = interrupt.await(isOver ? 0 : patience.left());
            int seen = registers.read32(EduRegisters.INTERRUPT_STATUS);
            all |= seen;
            if (seen != 0) {
                registers.write32(EduRegisters.INTERRUPT_ACKNOWLEDGE, seen);
            }
            if (delivered > 0 && interrupt.kind() == InterruptKind.INTX) {
                interrupt.unmask(); // after the device let go of the pin
            }
            if ((seen & cause) != 0 && delivered > 0) {
                return;
            }
            if (isOver) {
                throw new DeviceException(what, backing.info().toString(), "no interrupt within "
                        + timeoutNanos / 1_000_000 + " ms (causes 0x" + Integer.toHexString(all) + ")",
                        "reset the device, or close and open it");
            }
        }
    }

    /** Stops the device's DMA and releases everything but the backing. */
    @Override
    public void close() {
        backing.setBusMaster(false);
        interrupt.close();
        release(backing, staging);
    }

    private static void release(DeviceBacking backing, DmaBuffer staging) {
        if (staging.iova().isPresent()) {
            backing.addressSpace().unmap(new Iova(staging.iova().getAsLong()));
            staging.clearIova();
        }
        staging.close();
    }
}
