package dev.bascule.vfio;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.Bar;
import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceInfo;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Registers;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.generated.vfio_device_info;
import dev.bascule.ffi.generated.vfio_h;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.PciAddress;
import dev.bascule.pci.PciDevice;
import dev.bascule.pci.PciDevices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A real PCI function through the kernel's VFIO. Memory decoding is on while it is open, bus mastering is off until
 * asked for; closing it, or the death of the process, switches bus mastering off.
 */
public final class VfioDevice implements DeviceBacking {
    private static final Map<InterruptKind, VfioNotice> NOTICES = Map.of(InterruptKind.REQUEST, VfioNotice.GIVE_BACK,
            InterruptKind.ERROR, VfioNotice.ERROR);

    private final VfioContext context;
    private final Fd fd;
    private final DeviceInfo info;
    private final VfioAddressSpace space;
    private final Iommu iommu;
    private final VfioInterrupts interrupts;
    private final VfioBars bars;
    private final Registers config;
    private final boolean resettable;
    private boolean ownsContext;
    private volatile boolean closed;

    private VfioDevice(VfioContext context, Fd fd, DeviceInfo info, VfioAddressSpace space, Iommu iommu, VfioBars bars,
            Registers config, boolean resettable) {
        this.context = context;
        this.fd = fd;
        this.info = info;
        this.space = space;
        this.iommu = iommu;
        this.bars = bars;
        this.config = config;
        this.resettable = resettable;
        this.interrupts = new VfioInterrupts(fd, info.toString());
    }

    /** Opens a device in an address space of its own. */
    public static VfioDevice open(PciAddress address, VfioOptions options) {
        VfioContext context = new VfioContext(options);
        try {
            VfioDevice device = context.open(address);
            device.ownsContext = true;
            return device;
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
    }

    static VfioDevice of(VfioContext context, Fd fd, PciAddress address, VfioAddressSpace space, Iommu iommu,
            BarClaims claims, VfioOptions options) {
        boolean resettable = (flags(fd) & vfio_h.VFIO_DEVICE_FLAGS_RESET()) != 0;
        RegionInfo region = RegionInfo.query(fd, vfio_h.VFIO_PCI_CONFIG_REGION_INDEX())
                .filter(found -> found.sizeBytes() > 0)
                .orElseThrow(() -> new DeviceException("open device", address.toString(), "it has no config space",
                        "use a PCI device"));
        Registers config = new FileRegisters(fd, region.fileOffset(), region.sizeBytes(), address + " config space");
        DeviceInfo info = new DeviceInfo("PCI device", "vfio", address, config.read16(ConfigSpace.VENDOR_ID),
                config.read16(ConfigSpace.DEVICE_ID),
                config.read32(ConfigSpace.REVISION) >>> 8, numaNode(address, options));
        VfioDevice device = new VfioDevice(context, fd, info, space, iommu,
                new VfioBars(fd, config, claims, info.toString()), config, resettable);
        device.decode();
        device.bars.settle();
        return device;
    }

    private static int flags(Fd fd) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = vfio_device_info.allocate(arena);
            vfio_device_info.argsz(answer, (int) vfio_device_info.sizeof());
            fd.ioctl("VFIO_DEVICE_GET_INFO", vfio_h.VFIO_DEVICE_GET_INFO(), answer);
            return vfio_device_info.flags(answer);
        } catch (NativeException e) {
            throw VfioErrors.of("open device", fd.name(), e);
        }
    }

    private static int numaNode(PciAddress address, VfioOptions options) {
        return PciDevices.list(options.sysfs()).stream().filter(device -> device.address().equals(address)).findFirst()
                .map(PciDevice::numaNode).orElse(-1);
    }

    private void decode() {
        config.write16(ConfigSpace.COMMAND, config.read16(ConfigSpace.COMMAND) | ConfigSpace.DECODE);
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    @Override
    public List<Bar> bars() {
        return bars.list();
    }

    @Override
    public Registers registers(int bar) {
        requireOpen();
        return bars.registers(bar(bar));
    }

    @Override
    public Registers config() {
        return config;
    }

    @Override
    public MemorySegment memory(int bar, long offset, long lengthBytes) {
        requireOpen();
        return bars.memory(bar(bar), offset, lengthBytes);
    }

    /**
     * UC always; WC where the BAR was named in {@link VfioOptions#writeCombining}. Both are views of one mapping, whose
     * type, that of {@link #type}, the window says: fences make the order that the type does not. The kernel offers no
     * other.
     */
    @Override
    public Window window(int bar, MemoryType type) {
        return window(bar, 0, bar(bar).sizeBytes(), type);
    }

    @Override
    public Window window(int bar, long offset, long lengthBytes, MemoryType type) {
        requireOpen();
        return bars.window(bar(bar), offset, lengthBytes, type);
    }

    /** How a BAR is mapped, as the kernel says where it does. */
    public BarType type(int bar) {
        requireOpen();
        return bars.type(bar(bar));
    }

    @Override
    public AddressSpace addressSpace() {
        return space;
    }

    /** Limits of the IOMMU. */
    public IommuInfo iommu() {
        return space.info();
    }

    @Override
    public void setBusMaster(boolean enabled) {
        requireOpen();
        int command = config.read16(ConfigSpace.COMMAND);
        config.write16(ConfigSpace.COMMAND,
                enabled ? command | ConfigSpace.BUS_MASTER : command & ~ConfigSpace.BUS_MASTER);
    }

    @Override
    public int interruptCount(InterruptKind kind) {
        requireOpen();
        return interrupts.count(kind);
    }

    @Override
    public Interrupt openInterrupt(InterruptKind kind, int vector, @Nullable Runnable handler) {
        requireOpen();
        return interrupts.open(kind, vector, handler);
    }

    /**
     * Has the kernel's notices passed on, each once at most, for the life of the device. The receiver runs on a thread of
     * the device's and must not close it there.
     */
    public void onNotice(Consumer<VfioNotice> receiver) {
        requireOpen();
        for (Map.Entry<InterruptKind, VfioNotice> one : NOTICES.entrySet()) {
            if (interrupts.count(one.getKey()) > 0) {
                AtomicBoolean told = new AtomicBoolean();
                interrupts.open(one.getKey(), 0, () -> {
                    if (told.compareAndSet(false, true)) {
                        receiver.accept(one.getValue());
                    }
                });
            }
        }
    }

    /** Delivers a vector through the kernel without the device, to test its path to this process. */
    public void triggerInterrupt(InterruptKind kind, int vector) {
        requireOpen();
        interrupts.trigger(kind, vector);
    }

    /** Whether the function can be reset alone. */
    public boolean isResettable() {
        return resettable;
    }

    /** The functions that a reset of its slot or bus would also reset; empty where that is impossible. */
    public List<PciAddress> slotMembers() {
        requireOpen();
        return HotReset.dependents(fd).stream().map(HotReset.Dependent::address).toList();
    }

    /**
     * Resets the function: by itself where it can (FLR or power states), else with its slot, if all devices there are
     * opened in this context.
     */
    @Override
    public void reset() {
        requireOpen();
        interrupts.closeSignals();
        setBusMaster(false);
        if (resettable) {
            try {
                fd.ioctl("VFIO_DEVICE_RESET", vfio_h.VFIO_DEVICE_RESET(), 0);
            } catch (NativeException e) {
                throw VfioErrors.of("reset", info.toString(), e);
            }
        } else {
            HotReset.reset(fd, iommu.groups());
        }
        config.write16(ConfigSpace.COMMAND,
                config.read16(ConfigSpace.COMMAND) & ~ConfigSpace.BUS_MASTER | ConfigSpace.DECODE);
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(info + " is closed");
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            setBusMaster(false);
            closed = true;
        }
        interrupts.close();
        bars.close();
        fd.close();
        context.forget(this);
        if (ownsContext) {
            context.close();
        }
    }
}
