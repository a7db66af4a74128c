package dev.bascule.vfio;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceException;
import dev.bascule.device.Registers;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.memory.DeviceWindow;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The BARs of a VFIO device and their mappings, which live until the device is closed. */
final class VfioBars implements AutoCloseable {
    private static final int BARS = 6;
    private static final int SMALLEST = 16;
    private static final System.Logger LOG = System.getLogger(VfioBars.class.getName());
    private static final int PROTECTION = Linux.PROT_READ | Linux.PROT_WRITE;

    private final Fd device;
    private final BarClaims claims;
    private final String name;
    private final Arena arena = Arena.ofShared();
    private final List<Bar> list = new ArrayList<>();
    private final Map<Integer, RegionInfo> regions = new HashMap<>();
    private final Map<Bar.Area, Map<Integer, MemorySegment>> mapped = new HashMap<>();
    private final Map<Integer, BarType> types = new HashMap<>();

    VfioBars(Fd device, Registers config, BarClaims claims, String name) {
        this.device = device;
        this.claims = claims;
        this.name = name;
        for (int index = 0; index < BARS; index++) {
            RegionInfo region = RegionInfo.query(device, index).orElse(null);
            // I/O ports of fewer bytes than a BAR can have here are left out.
            if (region != null && region.sizeBytes() >= SMALLEST && Long.bitCount(region.sizeBytes()) == 1) {
                int low = config.read32(0x10 + 4 * index);
                boolean memory = (low & 1) == 0;
                regions.put(index, region);
                list.add(new Bar(index, region.sizeBytes(), memory && (low & 6) == 4, memory && (low & 8) != 0,
                        memory ? region.mappable() : List.of()));
            }
        }
    }

    List<Bar> list() {
        return List.copyOf(list);
    }

    private RegionInfo region(Bar bar) {
        return java.util.Objects.requireNonNull(regions.get(bar.index()));
    }

    Registers registers(Bar bar) {
        if (claims.isAsked(bar.index())) {
            throw new DeviceException("reach registers", name + " BAR " + bar.index(),
                    "it is mapped write-combining, which registers do not bear", "open the device without that");
        }
        RegionInfo region = region(bar);
        Registers file = new FileRegisters(device, region.fileOffset(), region.sizeBytes(), name + " BAR "
                + bar.index());
        List<MappedRegisters.Part> parts = new ArrayList<>();
        for (Bar.Area area : bar.mappable()) {
            parts.add(new MappedRegisters.Part(area, area(bar, area)));
        }
        return parts.isEmpty() ? file : new MappedRegisters(parts, file);
    }

    MemorySegment memory(Bar bar, long offset, long lengthBytes) {
        for (Bar.Area area : bar.mappable()) {
            long at = offset - area.offset();
            if (at >= 0 && lengthBytes >= 0 && at <= area.lengthBytes() - lengthBytes) {
                return area(bar, area).asSlice(at, lengthBytes);
            }
        }
        throw new DeviceException("map BAR " + bar.index(), name + " [" + offset + ", +" + lengthBytes + ")",
                "that part cannot be mapped", "use registers(" + bar.index() + ")");
    }

    private synchronized MemorySegment area(Bar bar, Bar.Area area) {
        MemorySegment own = claims.own(bar.index()).orElse(null);
        if (own != null) {
            return own.asSlice(area.offset(), area.lengthBytes());
        }
        return mapped.computeIfAbsent(area, a -> new HashMap<>()).computeIfAbsent(bar.index(), index -> {
            long page = Libc.pageSizeBytes();
            long bytes = area.lengthBytes() + page - 1 & -page; // a small BAR has its page to itself
            try {
                return Libc.map(arena, bytes, PROTECTION, Linux.MAP_SHARED, device,
                        region(bar).fileOffset() + area.offset(), name + " BAR " + index)
                        .asSlice(0, area.lengthBytes());
            } catch (NativeException e) {
                throw VfioErrors.of("map BAR " + index, name, e);
            }
        });
    }

    /** Maps what was claimed, so that it keeps its type, and lets go of the mappings that claimed it. */
    void settle() {
        claims.settle();
        for (Bar bar : list) {
            if (claims.isAsked(bar.index())) {
                for (Bar.Area area : bar.mappable()) {
                    area(bar, area);
                }
            }
        }
        claims.release();
        for (Bar bar : list) {
            if (claims.isAsked(bar.index()) && !type(bar).remark().isEmpty()) {
                LOG.log(System.Logger.Level.WARNING, name + " BAR " + bar.index() + " is " + type(bar));
            }
        }
    }

    /** How a BAR is mapped; it is mapped for that. */
    synchronized BarType type(Bar bar) {
        bar.mappable().forEach(area -> area(bar, area));
        return types.computeIfAbsent(bar.index(), claims::type);
    }

    Window window(Bar bar, long offset, long lengthBytes, MemoryType type) {
        if (type == MemoryType.WT || type == MemoryType.WB) {
            throw new DeviceException("map BAR " + bar.index(), name, "the kernel maps device memory"
                    + " uncached or write-combining, not " + type, "map it UC");
        }
        MemorySegment memory = memory(bar, offset, lengthBytes);
        BarType is = type(bar);
        if (type == MemoryType.WC && !claims.isAsked(bar.index())) {
            throw new DeviceException("map BAR " + bar.index() + " write-combining", name,
                    "it is mapped uncached, and a BAR has one type as long as the device is open",
                    "name the BAR when the device is opened: VfioOptions.withWriteCombining");
        }
        return new DeviceWindow(memory, is.safe() == MemoryType.WC ? MemoryType.WC : MemoryType.UC);
    }

    @Override
    public void close() {
        claims.close();
        arena.close();
    }
}
