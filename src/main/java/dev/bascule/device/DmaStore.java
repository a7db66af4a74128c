package dev.bascule.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * How a software device's write comes into host memory, for every backing: in the order {@link DmaAccess} promises, which
 * a copy of memory does not give. Allocates nothing.
 * <p>
 * Thread rule: any thread.
 */
public final class DmaStore {
    private static final int LINE_BYTES = 64;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle SHORT = ValueLayout.JAVA_SHORT.varHandle();

    private DmaStore() {}

    /**
     * Copies {@code lengthBytes} from the device's {@code from} to the host's {@code to}.
     *
     * @throws IndexOutOfBoundsException when either range lies outside
     */
    public static void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long lengthBytes) {
        long at = to.address() + toOffset;
        if (lengthBytes > LINE_BYTES || lengthBytes < Short.BYTES || !to.isNative()) {
            MemorySegment.copy(from, fromOffset, to, toOffset, lengthBytes);
        } else if (((at | lengthBytes) & Long.BYTES - 1) == 0) {
            words(from, fromOffset, to, toOffset, lengthBytes);
        } else if (lengthBytes == Integer.BYTES && (at & Integer.BYTES - 1) == 0) {
            INT.setRelease(to, toOffset, from.get(ValueLayout.JAVA_INT_UNALIGNED, fromOffset));
        } else if (lengthBytes == Short.BYTES && (at & Short.BYTES - 1) == 0) {
            SHORT.setRelease(to, toOffset, from.get(ValueLayout.JAVA_SHORT_UNALIGNED, fromOffset));
        } else {
            MemorySegment.copy(from, fromOffset, to, toOffset, lengthBytes);
        }
    }

    /** A whole line: the first word last, as if all came at once. Less: the last word last, as by rising address. */
    private static void words(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long lengthBytes) {
        boolean line = lengthBytes == LINE_BYTES;
        long first = line ? Long.BYTES : 0;
        long marker = line ? 0 : lengthBytes - Long.BYTES;
        MemorySegment.copy(from, fromOffset + first, to, toOffset + first, lengthBytes - Long.BYTES);
        // release: partner is the driver's acquire of the signal or the phase tag
        LONG.setRelease(to, toOffset + marker, from.get(ValueLayout.JAVA_LONG_UNALIGNED, fromOffset + marker));
    }
}
