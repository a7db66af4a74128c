package dev.bascule.nic.ivshmem;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Registers;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Drives an ivshmem-doorbell device behind any backing: memory shared with other peers, a doorbell to each of their
 * vectors, and vectors of its own. The lab's stand-in for a SmartNIC's region.
 * <p>
 * Thread rule: thread-safe, except that a window or interrupt belongs to one thread.
 */
public final class IvshmemDriver {
    private final DeviceBacking backing;
    private final Registers registers;
    private final int position;

    private IvshmemDriver(DeviceBacking backing, Registers registers, int position) {
        this.backing = backing;
        this.registers = registers;
        this.position = position;
    }

    /** Takes the device over; the backing stays the caller's, and closing the driver releases everything. */
    public static IvshmemDriver open(DeviceBacking backing) {
        if (backing.info().vendorId() != IvshmemRegisters.VENDOR_ID
                || backing.info().deviceId() != IvshmemRegisters.DEVICE_ID) {
            throw new DeviceFormatException("open ivshmem", backing.info().toString(), "it is another device",
                    "name an ivshmem device (1af4:1110)");
        }
        if (backing.interruptCount(InterruptKind.MSIX) == 0) {
            throw new DeviceException("open ivshmem", backing.info().toString(), "it has no interrupts",
                    "use -device ivshmem-doorbell with a server, not ivshmem-plain");
        }
        Registers registers = backing.registers(IvshmemRegisters.REGISTER_BAR);
        int position = registers.read32(IvshmemRegisters.POSITION);
        if (position < 0) {
            throw new DeviceException("open ivshmem", backing.info().toString(),
                    "its server has not given it a number", "check that the ivshmem server runs");
        }
        backing.setBusMaster(true); // message interrupts are writes of the device
        return new IvshmemDriver(backing, registers, position);
    }

    /** This peer's number. */
    public int position() {
        return position;
    }

    /** The shared memory as the BAR is mapped. */
    public MemorySegment memory() {
        return backing.memory(IvshmemRegisters.MEMORY_BAR, 0, sizeBytes());
    }

    /** A new window on the shared memory, for the calling thread. */
    public Window window(MemoryType type) {
        return backing.window(IvshmemRegisters.MEMORY_BAR, type);
    }

    /** Size of the shared memory. */
    public long sizeBytes() {
        return backing.bar(IvshmemRegisters.MEMORY_BAR).sizeBytes();
    }

    /** Vectors of each peer. */
    public int vectors() {
        return backing.interruptCount(InterruptKind.MSIX);
    }

    /** One own vector. */
    public Interrupt interrupt(int vector, @Nullable Runnable handler) {
        return backing.openInterrupt(InterruptKind.MSIX, vector, handler);
    }

    /**
     * A doorbell to one vector of a peer; the value rung is not transmitted. Ringing a peer that is not there does
     * nothing.
     */
    public Doorbell doorbell(int peer, int vector) {
        if (peer < 0 || peer > 0xffff || vector < 0 || vector >= vectors()) {
            throw new IllegalArgumentException("peer " + peer + ", vector " + vector + "; peers are 0 to 65535, vectors"
                    + " 0 to " + (vectors() - 1));
        }
        int word = peer << 16 | vector;
        return value -> registers.write32(IvshmemRegisters.DOORBELL, word);
    }
}
