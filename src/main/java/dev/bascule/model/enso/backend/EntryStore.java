package dev.bascule.model.enso.backend;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Writes to a program's memory in the order hardware does: what is one line long may be a notification or a completion
 * whose first word the program waits for, so that word is stored last, with release.
 */
final class EntryStore {
    private static final int LINE_BYTES = 64;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED
            .withOrder(ByteOrder.LITTLE_ENDIAN);

    private EntryStore() {}

    static void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long lengthBytes) {
        if (lengthBytes != LINE_BYTES || (toOffset & Long.BYTES - 1) != 0) {
            MemorySegment.copy(from, fromOffset, to, toOffset, lengthBytes);
            return;
        }
        MemorySegment.copy(from, fromOffset + Long.BYTES, to, toOffset + Long.BYTES, LINE_BYTES - Long.BYTES);
        WORD.setRelease(to, toOffset, from.get(U64, fromOffset));
    }
}
