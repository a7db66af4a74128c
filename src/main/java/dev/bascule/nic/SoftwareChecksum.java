package dev.bascule.nic;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The checksum of {@link PacketBatch#requestChecksum} where no card inserts it: the packet is read once, over all of its
 * entries. Thread rule: that of the batch.
 */
final class SoftwareChecksum {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private SoftwareChecksum() {}

    /** Works it out for the packet that begins at an entry; a field that reaches out of the packet stays as it is. */
    static void insert(PacketBatch batch, int first) {
        int request = batch.checksumRequest(first);
        int start = request & 0x7F;
        int field = start + (request >>> 8 & 0x7F);
        MemorySegment memory = batch.memory().segment();
        long sum = 0;
        int position = 0;
        int i = first;
        boolean more;
        do {
            int lengthBytes = batch.length(i);
            int skip = Math.clamp(start - position, 0, lengthBytes);
            int part = sum(memory, batch.offset(i) + skip, lengthBytes - skip);
            sum += (position + skip - start & 1) == 0 ? part : Short.toUnsignedInt(Short.reverseBytes((short) part));
            position += lengthBytes;
            more = batch.hasMore(i) && i + 1 < batch.size();
            i++;
        } while (more);
        if (field + 1 < position) {
            int inserted = ~fold(sum);
            put(batch, first, field, inserted >>> 8);
            put(batch, first, field + 1, inserted);
        }
    }

    private static void put(PacketBatch batch, int first, int at, int value) {
        int i = first;
        int rest = at;
        while (rest >= batch.length(i)) {
            rest -= batch.length(i++);
        }
        batch.memory().segment().set(ValueLayout.JAVA_BYTE, batch.offset(i) + rest, (byte) value);
    }

    /** The one's complement sum of big-endian words; an odd last byte is the upper half of one. */
    static int sum(MemorySegment memory, long from, int lengthBytes) {
        long sum = 0;
        int at = 0;
        for (; at + 3 < lengthBytes; at += 4) {
            sum += memory.get(INT, from + at) & 0xFFFF_FFFFL;
        }
        if (at + 1 < lengthBytes) {
            sum += memory.get(SHORT, from + at) & 0xFFFF;
            at += 2;
        }
        if (at < lengthBytes) {
            sum += (memory.get(ValueLayout.JAVA_BYTE, from + at) & 0xFF) << 8;
        }
        return fold(sum);
    }

    static int fold(long sum) {
        long folded = sum;
        while (folded >>> 16 != 0) {
            folded = (folded & 0xFFFF) + (folded >>> 16);
        }
        return (int) folded;
    }
}
