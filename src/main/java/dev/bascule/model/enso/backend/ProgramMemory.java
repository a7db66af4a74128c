package dev.bascule.model.enso.backend;

import dev.bascule.device.DmaAccess;
import dev.bascule.device.DmaStore;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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

    /** Pages there may be; all addresses fit in 32 bits, so that none is ever live by half. */
    private static final int MOST_PAGES = (int) ((1L << 32 - PAGE_SHIFT) - FIRST_PAGE);

    /** A page and the programs that named it. */
    private record Page(long physicalPage, MemorySegment memory, Set<Object> users) {}

    private final PageFinder finder;
    private final Map<Long, Long> devicePages = new HashMap<>();
    private final Map<Long, Page> pages = new HashMap<>();
    private final BitSet used = new BitSet();

    ProgramMemory(PageFinder finder) {
        this.finder = finder;
    }

    /** The device address of a physical one that {@code user} names; 0 when no program's memory is there. */
    long translate(long physical, Object user) {
        long physicalPage = physical >>> PAGE_SHIFT;
        Long devicePage = devicePages.get(physicalPage);
        if (devicePage == null) {
            int free = used.nextClearBit(0);
            MemorySegment found = free < MOST_PAGES ? finder.find(physicalPage << PAGE_SHIFT) : null;
            if (found == null || found.byteSize() != PAGE_BYTES) {
                return 0;
            }
            used.set(free);
            devicePage = FIRST_PAGE + free;
            devicePages.put(physicalPage, devicePage);
            pages.put(devicePage, new Page(physicalPage, found, new HashSet<>()));
        }
        Objects.requireNonNull(pages.get(devicePage)).users.add(user);
        return devicePage << PAGE_SHIFT | physical & PAGE_BYTES - 1;
    }

    /** {@code user} is gone: pages that no other user named are unmapped. */
    void forget(Object user) {
        pages.entrySet().removeIf(entry -> {
            Page page = entry.getValue();
            if (!page.users.remove(user) || !page.users.isEmpty()) {
                return false;
            }
            devicePages.remove(page.physicalPage);
            used.clear((int) (entry.getKey() - FIRST_PAGE));
            finder.release(page.memory);
            return true;
        });
    }

    /** Forgets all translations; programs that ask again get new device addresses. */
    void clear() {
        pages.values().forEach(page -> finder.release(page.memory));
        devicePages.clear();
        pages.clear();
        used.clear();
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
        Page page = pages.get(iova >>> PAGE_SHIFT);
        return page != null && inPage(iova) <= PAGE_BYTES - lengthBytes ? page.memory : null;
    }

    private static long inPage(long iova) {
        return iova & PAGE_BYTES - 1;
    }
}
