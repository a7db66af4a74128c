package dev.bascule.vfio;

import dev.bascule.device.Bar;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.generated.vfio_h;
import dev.bascule.ffi.generated.vfio_info_cap_header;
import dev.bascule.ffi.generated.vfio_region_info;
import dev.bascule.ffi.generated.vfio_region_info_cap_sparse_mmap;
import dev.bascule.ffi.generated.vfio_region_sparse_mmap_area;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A region of a VFIO device: a BAR, the expansion ROM or config space.
 *
 * @param sizeBytes its size, 0 when not implemented
 * @param fileOffset where it lies in the device's file
 * @param mappable areas that may be mapped: those of the sparse-mmap capability, else all or nothing
 */
record RegionInfo(long sizeBytes, long fileOffset, List<Bar.Area> mappable) {
    private static final int FIRST_ASK_BYTES = 256;
    private static final int MAX_ANSWER_BYTES = 1 << 16;
    private static final int MAX_CAPABILITIES = 32;

    RegionInfo {
        mappable = List.copyOf(mappable);
    }

    /** Asks the kernel; empty for a region that this device does not have. */
    static Optional<RegionInfo> query(Fd device, int index) {
        int bytes = FIRST_ASK_BYTES;
        while (true) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment info = arena.allocate(bytes, 8);
                vfio_region_info.argsz(info, bytes);
                vfio_region_info.index(info, index);
                device.ioctl("VFIO_DEVICE_GET_REGION_INFO", vfio_h.VFIO_DEVICE_GET_REGION_INFO(), info);
                int needed = vfio_region_info.argsz(info);
                if (needed <= bytes || needed > MAX_ANSWER_BYTES) {
                    return Optional.of(parse(info));
                }
                bytes = needed;
            } catch (NativeException e) {
                if (e.errno() == Errno.EINVAL) {
                    return Optional.empty();
                }
                throw VfioErrors.of("ask for region " + index, device.name(), e);
            }
        }
    }

    /** Decodes an answer; offsets of capabilities are not trusted. */
    static RegionInfo parse(MemorySegment info) {
        int flags = vfio_region_info.flags(info);
        long size = vfio_region_info.size(info);
        List<Bar.Area> areas = new ArrayList<>();
        boolean mapped = (flags & vfio_h.VFIO_REGION_INFO_FLAG_MMAP()) != 0;
        boolean sparse = false;
        int at = (flags & vfio_h.VFIO_REGION_INFO_FLAG_CAPS()) != 0 ? vfio_region_info.cap_offset(info) : 0;
        for (int i = 0; at > 0 && at <= info.byteSize() - 16 && i < MAX_CAPABILITIES; i++) {
            MemorySegment cap = info.asSlice(at);
            if ((vfio_info_cap_header.id(cap) & 0xffff) == vfio_h.VFIO_REGION_INFO_CAP_SPARSE_MMAP()) {
                sparse = true;
                readAreas(cap, size, areas);
            }
            at = vfio_info_cap_header.next(cap);
        }
        if (mapped && !sparse && size > 0) {
            areas.add(new Bar.Area(0, size));
        }
        return new RegionInfo(size, vfio_region_info.offset(info), mapped ? areas : List.of());
    }

    private static void readAreas(MemorySegment cap, long size, List<Bar.Area> areas) {
        int count = vfio_region_info_cap_sparse_mmap.nr_areas(cap);
        long first = vfio_region_info_cap_sparse_mmap.layout().byteSize();
        long each = vfio_region_sparse_mmap_area.sizeof();
        for (int i = 0; i < count && first + (i + 1) * each <= cap.byteSize(); i++) {
            MemorySegment area = cap.asSlice(first + i * each);
            long offset = vfio_region_sparse_mmap_area.offset(area);
            long bytes = vfio_region_sparse_mmap_area.size(area);
            if (offset >= 0 && bytes > 0 && offset <= size - bytes) {
                areas.add(new Bar.Area(offset, bytes));
            }
        }
    }
}
