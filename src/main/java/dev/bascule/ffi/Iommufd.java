package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The iommufd interface of the kernel and the VFIO requests that belong to it, for headers that do not have them (Debian
 * 12's linux-libc-dev has no linux/iommufd.h). All structs begin with their size and grow only at the end.
 * <p>
 * Source: Linux userspace API documentation, iommufd, and include/uapi/linux/iommufd.h and vfio.h of Linux 6.6.
 */
public final class Iommufd {
    /** Mapping at the address given, and not one of the kernel's choice. */
    public static final int MAP_FIXED_IOVA = 1;
    /** The device may write. */
    public static final int MAP_WRITEABLE = 2;
    /** The device may read. */
    public static final int MAP_READABLE = 4;

    /** Length that, with address 0, means everything. */
    public static final long UNMAP_ALL = -1;

    private static final int DESTROY = 0x3b80;
    private static final int IOAS_ALLOC = 0x3b81;
    private static final int IOAS_IOVA_RANGES = 0x3b84;
    private static final int IOAS_MAP = 0x3b85;
    private static final int IOAS_UNMAP = 0x3b86;
    private static final int DEVICE_BIND = 0x3b76;
    private static final int DEVICE_ATTACH = 0x3b77;
    private static final int MAX_RANGES = 64;
    private static final int RANGE_BYTES = 16;

    /**
     * Addresses an IO address space allows.
     *
     * @param ranges first and last address, in turn
     * @param alignmentBytes granularity of mappings
     */
    public record Ranges(long[] ranges, long alignmentBytes) {}

    private Iommufd() {}

    /** A new IO address space; its id. */
    public static int allocateIoas(Fd iommu) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment alloc = struct(arena, 12);
            iommu.ioctl("IOMMU_IOAS_ALLOC", IOAS_ALLOC, alloc);
            return alloc.get(ValueLayout.JAVA_INT, 8);
        }
    }

    /** Addresses and alignment that an IO address space allows with the devices attached so far. */
    public static Ranges ranges(Fd iommu, int ioas) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment room = arena.allocate((long) MAX_RANGES * RANGE_BYTES, 8);
            MemorySegment query = struct(arena, 32);
            query.set(ValueLayout.JAVA_INT, 4, ioas);
            query.set(ValueLayout.JAVA_INT, 8, MAX_RANGES);
            query.set(ValueLayout.JAVA_LONG, 16, room.address());
            iommu.ioctl("IOMMU_IOAS_IOVA_RANGES", IOAS_IOVA_RANGES, query);
            int count = Math.min(query.get(ValueLayout.JAVA_INT, 8), MAX_RANGES);
            return new Ranges(room.asSlice(0, (long) count * RANGE_BYTES).toArray(ValueLayout.JAVA_LONG),
                    query.get(ValueLayout.JAVA_LONG, 24));
        }
    }

    /** Maps memory at {@code iova}; {@code flags} of this class. */
    public static void map(Fd iommu, int ioas, MemorySegment memory, long iova, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment map = struct(arena, 40);
            map.set(ValueLayout.JAVA_INT, 4, flags);
            map.set(ValueLayout.JAVA_INT, 8, ioas);
            map.set(ValueLayout.JAVA_LONG, 16, memory.address());
            map.set(ValueLayout.JAVA_LONG, 24, memory.byteSize());
            map.set(ValueLayout.JAVA_LONG, 32, iova);
            iommu.ioctl("IOMMU_IOAS_MAP", IOAS_MAP, map);
        }
    }

    /** Unmaps; returns the bytes taken away. */
    public static long unmap(Fd iommu, int ioas, long iova, long lengthBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment unmap = struct(arena, 24);
            unmap.set(ValueLayout.JAVA_INT, 4, ioas);
            unmap.set(ValueLayout.JAVA_LONG, 8, iova);
            unmap.set(ValueLayout.JAVA_LONG, 16, lengthBytes);
            iommu.ioctl("IOMMU_IOAS_UNMAP", IOAS_UNMAP, unmap);
            return unmap.get(ValueLayout.JAVA_LONG, 16);
        }
    }

    /** Claims a VFIO device (opened by its cdev) for this process and this iommufd. */
    public static void bind(Fd device, Fd iommu) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bind = struct(arena, 16);
            bind.set(ValueLayout.JAVA_INT, 8, iommu.number());
            device.ioctl("VFIO_DEVICE_BIND_IOMMUFD", DEVICE_BIND, bind);
        }
    }

    /** Puts a bound VFIO device into an IO address space. */
    public static void attach(Fd device, int ioas) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attach = struct(arena, 12);
            attach.set(ValueLayout.JAVA_INT, 8, ioas);
            device.ioctl("VFIO_DEVICE_ATTACH_IOMMUFD_PT", DEVICE_ATTACH, attach);
        }
    }

    private static MemorySegment struct(Arena arena, int bytes) {
        MemorySegment struct = arena.allocate(bytes, 8);
        struct.set(ValueLayout.JAVA_INT, 0, bytes);
        return struct;
    }
}
