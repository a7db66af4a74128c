package dev.bascule.model.replay;

import dev.bascule.device.DmaAccess;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/** Host memory of 2^64 bytes, all zero until written. */
public final class SparseMemory implements DmaAccess {
    private static final int PAGE_SHIFT = 12;
    private static final int PAGE_BYTES = 1 << PAGE_SHIFT;

    private final Map<Long, MemorySegment> pages = new HashMap<>();

    /** Makes it, empty. */
    public SparseMemory() {}

    private MemorySegment page(long address) {
        return pages.computeIfAbsent(address >>> PAGE_SHIFT, key -> MemorySegment.ofArray(new byte[PAGE_BYTES]));
    }

    @Override
    public boolean read(long address, MemorySegment to, long toOffset, long lengthBytes) {
        for (long done = 0; done < lengthBytes;) {
            long inPage = address + done & PAGE_BYTES - 1;
            long part = Math.min(PAGE_BYTES - inPage, lengthBytes - done);
            MemorySegment.copy(page(address + done), inPage, to, toOffset + done, part);
            done += part;
        }
        return true;
    }

    @Override
    public boolean write(long address, MemorySegment from, long fromOffset, long lengthBytes) {
        for (long done = 0; done < lengthBytes;) {
            long inPage = address + done & PAGE_BYTES - 1;
            long part = Math.min(PAGE_BYTES - inPage, lengthBytes - done);
            MemorySegment.copy(from, fromOffset + done, page(address + done), inPage, part);
            done += part;
        }
        return true;
    }

    /** Puts bytes there. */
    public void write(long address, byte[] data) {
        write(address, MemorySegment.ofArray(data), 0, data.length);
    }
}
