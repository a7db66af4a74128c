package dev.bascule.model.enso.backend;

import dev.bascule.device.DmaAccess;
import dev.bascule.device.DmaStore;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The huge pages of programs as the device sees them. A page gets a device address when a program first asks for its
 * translation; device addresses keep the offset in the page, as the library requires. Accesses never reach beyond the
 * pages given, nor across the end of one.
 */
final class ProgramMemory implements DmaAccess {
    static final int PAGE_SHIFT = 21;
    static final long PAGE_BYTES = 1L << PAGE_SHIFT;

    /** Low device addresses stay unused, so that a null pointer is no address. */
    private static final long FIRST_PAGE = 1L << 30 >> PAGE_SHIFT;

    private final PageFinder finder;
    private final Map<Long, Long> devicePages = new HashMap<>();
    private final Map<Long, MemorySegment> pages = new HashMap<>();
    private long nextPage = FIRST_PAGE;

    ProgramMemory(PageFinder finder) {
        this.finder = finder;
    }

    /** The device address of a physical one; 0 when no program's memory is there. */
    long translate(long physical) {
        long physicalPage = physical >>> PAGE_SHIFT;
        Long devicePage = devicePages.get(physicalPage);
        if (devicePage == null) {
            MemorySegment page = finder.find(physicalPage << PAGE_SHIFT);
            if (page == null || page.byteSize() != PAGE_BYTES) {
                return 0;
            }
            devicePage = nextPage++;
            devicePages.put(physicalPage, devicePage);
            pages.put(devicePage, page);
        }
        return devicePage << PAGE_SHIFT | physical & PAGE_BYTES - 1;
    }

    /** Forgets all translations; programs that ask again get new device addresses. */
    void clear() {
        devicePages.clear();
        pages.clear();
    }

    @Override
    public boolean read(long iova, MemorySegment to, long toOffset, long lengthBytes) {
        MemorySegment page = page(iova, lengthBytes);
        if (page != null) {
            MemorySegment.copy(page, inPage(iova), to, toOffset, lengthBytes);
        }
        return page != null;
    }

    @Override
    public boolean write(long iova, MemorySegment from, long fromOffset, long lengthBytes) {
        MemorySegment page = page(iova, lengthBytes);
        if (page == null) {
            return false;
        }
        DmaStore.copy(from, fromOffset, page, inPage(iova), lengthBytes);
        return true;
    }

    private @Nullable MemorySegment page(long iova, long lengthBytes) {
        MemorySegment page = pages.get(iova >>> PAGE_SHIFT);
        return page != null && inPage(iova) <= PAGE_BYTES - lengthBytes ? page : null;
    }

    private static long inPage(long iova) {
        return iova & PAGE_BYTES - 1;
    }
}
