package dev.bascule.model.corundum;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The 16-bit one's-complement sum of big-endian words. */
final class InternetSum {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private InternetSum() {}

    /** Sums {@code lengthBytes} from {@code offset}; an odd last byte counts as the upper half of a word. */
    static int sum(byte[] data, int offset, int lengthBytes) {
        long sum = 0;
        int position = offset;
        int end = offset + lengthBytes;
        for (; position + 8 <= end; position += 8) {
            long word = (long) LONG.get(data, position);
            sum += (word >>> 32) + (word & 0xFFFFFFFFL);
        }
        for (; position + 2 <= end; position += 2) {
            sum += (data[position] & 0xFF) << 8 | data[position + 1] & 0xFF;
        }
        if (position < end) {
            sum += (data[position] & 0xFF) << 8;
        }
        return fold(sum);
    }

    private static int fold(long sum) {
        long folded = sum;
        while (folded >>> 16 != 0) {
            folded = (folded & 0xFFFF) + (folded >>> 16);
        }
        return (int) folded;
    }
}
