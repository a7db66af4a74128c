package dev.bascule.model.enso;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** All of a 64-bit address space, zero until written, in pages made as needed. */
final class SparseMemory {
    private static final int PAGE_BITS = 12;
    private static final int PAGE_BYTES = 1 << PAGE_BITS;

    private final Map<Long, byte[]> pages = new HashMap<>();

    void write(long address, byte[] data, int offset, int lengthBytes) {
        for (int done = 0; done < lengthBytes;) {
            int inPage = inPage(address + done);
            int part = Math.min(lengthBytes - done, PAGE_BYTES - inPage);
            byte[] page = pages.computeIfAbsent(address + done >>> PAGE_BITS, n -> new byte[PAGE_BYTES]);
            System.arraycopy(data, offset + done, page, inPage, part);
            done += part;
        }
    }

    void read(long address, byte[] into, int offset, int lengthBytes) {
        for (int done = 0; done < lengthBytes;) {
            int inPage = inPage(address + done);
            int part = Math.min(lengthBytes - done, PAGE_BYTES - inPage);
            byte[] page = pages.get(address + done >>> PAGE_BITS);
            if (page == null) {
                Arrays.fill(into, offset + done, offset + done + part, (byte) 0);
            } else {
                System.arraycopy(page, inPage, into, offset + done, part);
            }
            done += part;
        }
    }

    private static int inPage(long address) {
        return (int) address & PAGE_BYTES - 1;
    }
}
