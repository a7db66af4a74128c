package dev.bascule.vfiouser;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.Bar;
import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceInfo;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Registers;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.OwnThread;
import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import dev.bascule.pci.ConfigSpace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A device that another process serves at a vfio-user socket. Registers go by message, posted unless the options say
 * otherwise; BAR memory is mapped where the server offers a descriptor; DMA memory with a descriptor is mapped by the
 * server, other memory is fetched by message. The device is reset when it is opened. A server may offer the device's
 * clock: {@link #nanoTime} is its time then, and one that moves shows that a slow server is alive.
 * <p>
 * Thread rule and errors: as {@link DeviceBacking} says. When the server goes away, registers read all ones, an open
 * {@link InterruptKind#REQUEST} interrupt is delivered, and the other methods throw
 * {@link dev.bascule.device.DeviceRemovedException}.
 */
public final class VfioUserDevice implements DeviceBacking {
    private final ClientConnection connection;
    private final VfioUserAddressSpace space;
    private final Map<Integer, RegionInfo> regions = new HashMap<>();
    private final Map<Integer, RegionAccess> access = new HashMap<>();
    private final Map<Bar.Area, MemorySegment> mapped = new HashMap<>();
    private final Arena arena = Arena.ofShared();
    private final List<Bar> bars;
    private final RegionAccess config;
    private final VfioUserInterrupts interrupts;
    private final DeviceInfo info;
    private final boolean resets;
    private boolean closed;

    private VfioUserDevice(ClientConnection connection, VfioUserAddressSpace space) {
        this.connection = connection;
        this.space = space;
        try {
            ServedInfo served = ServedInfo.ask(connection);
            resets = (served.flags() & Protocol.DEVICE_RESETS) != 0;
            for (int region = 0; region <= Protocol.CONFIG_REGION; region++) {
                RegionInfo found = RegionInfo.ask(connection, region);
                regions.put(region, found);
                access.put(region, new RegionAccess(connection, region, found.sizeBytes()));
            }
            config = java.util.Objects.requireNonNull(access.get(Protocol.CONFIG_REGION));
            ConfigSpace copy = readConfig();
            bars = describeBars(copy);
            info = new DeviceInfo(connection.toString(), "vfio-user", null, copy.read16(0), copy.read16(2),
                    copy.read32(8) >>> 8, -1);
            interrupts = new VfioUserInterrupts(connection, copy, config, this::registers, served.interruptKinds());
        } catch (RuntimeException e) {
            regions.values().forEach(RegionInfo::close);
            throw e;
        }
    }

    /** Connects to a server and resets the device. */
    public static VfioUserDevice open(Path socket) {
        return open(socket, VfioUserOptions.DEFAULT);
    }

    /**
     * Connects to a server and resets the device.
     *
     * @throws DeviceException when nobody serves there, another client uses the device, or the server breaks the
     *         protocol
     */
    public static VfioUserDevice open(Path socket, VfioUserOptions options) {
        VfioUserAddressSpace space = new VfioUserAddressSpace();
        ClientConnection connection = ClientConnection.connect(socket, options, space::answer);
        space.connect(connection);
        VfioUserDevice device;
        try {
            device = new VfioUserDevice(connection, space);
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
        try {
            if (device.resets) {
                device.resetDevice();
            }
            OwnThread.of("vfio-user removal", device::watch).start();
            return device;
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
    }

    private void watch() {
        connection.awaitEnd();
        if (!connection.isClosed()) {
            interrupts.tellRemoval();
        }
    }

    private ConfigSpace readConfig() {
        long size = config.sizeBytes();
        if (size != ConfigSpace.CONVENTIONAL_BYTES && size != ConfigSpace.EXPRESS_BYTES) {
            throw connection.malformed("read config space", size + " bytes of it");
        }
        MemorySegment bytes = MemorySegment.ofArray(new byte[(int) size]);
        config.read(0, bytes);
        return ConfigSpace.copyOf(bytes.toArray(ValueLayout.JAVA_BYTE));
    }

    private List<Bar> describeBars(ConfigSpace copy) {
        List<Bar> found = new ArrayList<>();
        for (int index = 0; index < Protocol.BARS; index++) {
            RegionInfo region = java.util.Objects.requireNonNull(regions.get(index));
            if (region.sizeBytes() == 0) {
                continue;
            }
            int low = copy.read32(0x10 + 4 * index);
            try {
                found.add(new Bar(index, region.sizeBytes(), (low & 7) == 4, (low & 9) == 8, region.mappable()));
            } catch (IllegalArgumentException e) {
                throw connection.malformed("look at BAR " + index, String.valueOf(e.getMessage()));
            }
        }
        return List.copyOf(found);
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    @Override
    public List<Bar> bars() {
        return bars;
    }

    @Override
    public Registers registers(int bar) {
        return access(bar);
    }

    private RegionAccess access(int bar) {
        ensureOpen();
        return java.util.Objects.requireNonNull(access.get(bar(bar).index()));
    }

    @Override
    public Registers config() {
        return config;
    }

    /** Reads any part of a BAR, in transfers as large as both sides allow. */
    void readBar(int bar, long offset, MemorySegment into) {
        access(bar).read(offset, into);
    }

    /** Writes any part of a BAR, in transfers as large as both sides allow. */
    void writeBar(int bar, long offset, MemorySegment from) {
        access(bar).write(offset, from);
    }

    /** Several register writes in their order, in one message if the server supports that. */
    void writeAll(int bar, List<RegisterWrite> writes) {
        access(bar).writeAll(writes);
    }

    @Override
    public MemorySegment memory(int bar, long offset, long lengthBytes) {
        ensureOpen();
        RegionInfo region = java.util.Objects.requireNonNull(regions.get(bar(bar).index()));
        Fd file = region.file();
        for (Bar.Area area : region.mappable()) {
            if (file != null && offset >= area.offset() && lengthBytes >= 0
                    && offset - area.offset() <= area.lengthBytes() - lengthBytes) {
                return map(region, area, file).asSlice(offset - area.offset(), lengthBytes);
            }
        }
        throw new DeviceException("map BAR " + bar, info + " [" + offset + ", +" + lengthBytes + ")",
                "that part cannot be mapped", "use registers(" + bar + ")");
    }

    private synchronized MemorySegment map(RegionInfo region, Bar.Area area, Fd file) {
        Bar.Area key = new Bar.Area((long) region.index() << 57 | area.offset(), area.lengthBytes());
        try {
            return mapped.computeIfAbsent(key,
                    k -> Libc.map(arena, area.lengthBytes(), Linux.PROT_READ | Linux.PROT_WRITE, Linux.MAP_SHARED,
                            file, region.fileOffset() + area.offset(), info + " BAR " + region.index()));
        } catch (NativeException | IllegalArgumentException e) {
            throw connection.malformed("map BAR " + region.index(),
                    "what the server gave cannot be mapped: " + e.getMessage());
        }
    }

    /** A window on memory shared with the server, which is coherent, whatever type is asked for. */
    @Override
    public Window window(int bar, MemoryType type) {
        if (type != MemoryType.UC && !bar(bar).prefetchable()) {
            throw new DeviceException("map BAR " + bar, info.toString(),
                    "it is not prefetchable and cannot be mapped " + type, "map it UC");
        }
        return new DirectWindow(memory(bar, 0, bar(bar).sizeBytes()));
    }

    @Override
    public AddressSpace addressSpace() {
        return space;
    }

    @Override
    public void setBusMaster(boolean enabled) {
        ensurePresent("set bus mastering");
        int command = config.read16(ConfigSpace.COMMAND);
        config.write16(ConfigSpace.COMMAND,
                enabled ? command | ConfigSpace.BUS_MASTER : command & ~ConfigSpace.BUS_MASTER);
    }

    @Override
    public int interruptCount(InterruptKind kind) {
        return interrupts.count(kind);
    }

    @Override
    public Interrupt openInterrupt(InterruptKind kind, int vector, @Nullable Runnable handler) {
        ensurePresent("open interrupt");
        return interrupts.open(kind, vector, handler);
    }

    /** The time that the server tells, where it does. */
    @Override
    public long nanoTime() {
        return connection.nanoTime();
    }

    @Override
    public void reset() {
        ensurePresent("reset");
        interrupts.closeAll();
        resetDevice();
    }

    private void resetDevice() {
        connection.command("reset", Protocol.RESET, MemorySegment.NULL, MemorySegment.NULL, List.of());
    }

    private void ensureOpen() {
        if (connection.isClosed()) {
            throw new IllegalStateException(info + " is closed");
        }
    }

    private void ensurePresent(String step) {
        ensureOpen();
        if (connection.isGone()) {
            throw connection.gone(step);
        }
    }

    /** When this returns the device no longer reaches any memory of this process. */
    private void stop() {
        try {
            setBusMaster(false);
            space.release();
        } catch (DeviceException e) {
            // the server lets go when the connection ends
        }
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        interrupts.close();
        if (!connection.isGone()) {
            stop();
        }
        connection.close();
        arena.close();
        regions.values().forEach(RegionInfo::close);
    }
}
