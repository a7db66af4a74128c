package dev.bascule.nic.virtio;

import static dev.bascule.nic.virtio.VirtioRegisters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.Registers;
import dev.bascule.ffi.Patience;
import dev.bascule.pci.Capabilities;
import dev.bascule.pci.Capability;
import dev.bascule.pci.ConfigSpace;
import java.util.concurrent.locks.LockSupport;

/** The registers of a virtio device: where its capabilities say that they are. */
final class VirtioPci {
    private static final int GONE = 0xff;
    private static final long RESET_NANOS = 2_000_000_000L;

    /** A structure in a BAR. */
    private record Area(Registers registers, long start, long lengthBytes) {
        long at(long offset, int widthBytes) {
            if (offset + widthBytes > lengthBytes) {
                throw new IndexOutOfBoundsException("offset " + offset + " of a structure of " + lengthBytes);
            }
            return start + offset;
        }
    }

    private final DeviceBacking backing;
    private final Area common;
    private final Area device;
    private final Area notify;
    private final long notifyMultiplier;

    VirtioPci(DeviceBacking backing) {
        this.backing = backing;
        ConfigSpace config = copy(backing.config());
        this.common = area(config, COMMON);
        this.device = area(config, DEVICE);
        int capability = find(config, NOTIFY);
        this.notify = area(config, NOTIFY);
        this.notifyMultiplier = Integer.toUnsignedLong(config.read32(capability + 16));
    }

    private static ConfigSpace copy(Registers config) {
        byte[] bytes = new byte[ConfigSpace.CONVENTIONAL_BYTES];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) config.read8(i);
        }
        return ConfigSpace.copyOf(bytes);
    }

    private int find(ConfigSpace config, int structure) {
        return Capabilities.of(config).list().stream()
                .filter(one -> !one.extended() && one.id() == Capability.VENDOR && one.offset() <= 256 - 20
                        && config.read8(one.offset() + 3) == structure)
                .mapToInt(Capability::offset).findFirst()
                .orElseThrow(() -> new DeviceFormatException("open virtio", backing.info().toString(),
                        "it has no structure " + structure + " of the modern form",
                        "give QEMU's device disable-legacy=on"));
    }

    private Area area(ConfigSpace config, int structure) {
        int at = find(config, structure);
        long start = Integer.toUnsignedLong(config.read32(at + 8));
        long bytes = Integer.toUnsignedLong(config.read32(at + 12));
        Registers registers = backing.registers(config.read8(at + 4));
        if (start > registers.sizeBytes() - bytes) {
            throw new DeviceFormatException("open virtio", backing.info().toString(), "structure " + structure
                    + " lies outside of its BAR", "this device is broken");
        }
        return new Area(registers, start, bytes);
    }

    long get(long register, int widthBytes) {
        return common.registers.read(common.at(register, widthBytes), widthBytes);
    }

    void set(long register, int widthBytes, long value) {
        common.registers.write(common.at(register, widthBytes), widthBytes, value);
    }

    /** A register of the kind of device. */
    int device(long register, int widthBytes) {
        return (int) device.registers.read(device.at(register, widthBytes), widthBytes);
    }

    int status() {
        return (int) get(STATUS, 1);
    }

    void addStatus(int bit) {
        set(STATUS, 1, status() | bit);
    }

    /** Resets and waits until the device has done it; all DMA has ended then. */
    void reset() {
        set(STATUS, 1, 0);
        if (status() == GONE) {
            return; // a card that was pulled out does nothing any more
        }
        Patience patience = new Patience(RESET_NANOS, backing::nanoTime, () -> 0);
        while (status() != 0) {
            if (patience.isOver()) {
                throw new DeviceException("reset virtio", backing.info().toString(), "its status stays "
                        + status(), "close the device and open it again");
            }
            LockSupport.parkNanos(100_000);
        }
    }

    /** Takes those of the wanted features that are offered; a missing one of {@code needed} is an exception. */
    long negotiate(long wanted, long needed) {
        long offered = 0;
        for (int half = 0; half < 2; half++) {
            set(DEVICE_FEATURE_SELECT, 4, half);
            offered |= get(DEVICE_FEATURE, 4) << 32 * half;
        }
        long taken = offered & (wanted | needed);
        for (int half = 0; half < 2; half++) {
            set(DRIVER_FEATURE_SELECT, 4, half);
            set(DRIVER_FEATURE, 4, taken >>> 32 * half);
        }
        addStatus(FEATURES_OK);
        if ((taken & needed) != needed || (status() & FEATURES_OK) == 0) {
            throw new DeviceException("open virtio", backing.info().toString(), "it offers features 0x"
                    + Long.toHexString(offered) + " and does not accept 0x" + Long.toHexString(taken),
                    "give QEMU's device disable-legacy=on,iommu_platform=on");
        }
        return taken;
    }

    /** Hands a ring over; returns the register to notify it by, as an offset for {@link #notifyQueue}. */
    long enable(int queue, int entries, long descriptors, long available, long used, int vector) {
        set(QUEUE_SELECT, 2, queue);
        set(QUEUE_SIZE, 2, entries);
        set(QUEUE_VECTOR, 2, vector);
        if (vector != NO_VECTOR && get(QUEUE_VECTOR, 2) != vector) {
            throw new DeviceException("open virtio", backing.info().toString(), "it has no room for interrupt vector "
                    + vector, "use a device with more vectors");
        }
        address(QUEUE_DESCRIPTORS, descriptors);
        address(QUEUE_AVAILABLE, available);
        address(QUEUE_USED, used);
        set(QUEUE_ENABLE, 2, 1);
        return get(QUEUE_NOTIFY_OFFSET, 2) * notifyMultiplier;
    }

    private void address(long register, long iova) {
        set(register, 4, iova);
        set(register + 4, 4, iova >>> 32);
    }

    int queueSize(int queue) {
        set(QUEUE_SELECT, 2, queue);
        return (int) get(QUEUE_SIZE, 2);
    }

    void notifyQueue(long offset, int queue) {
        notify.registers.write(notify.at(offset, 2), 2, queue);
    }
}
