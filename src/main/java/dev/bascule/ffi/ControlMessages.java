package dev.bascule.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/** Descriptors as ancillary data (cmsg(3)): a header {length u64, level u32, type u32}, data, padding to 8 bytes. */
final class ControlMessages {
    /** The kernel's own limit per message (SCM_MAX_FD). */
    static final int MAX_DESCRIPTORS = 253;
    static final long MAX_BYTES = space(MAX_DESCRIPTORS);

    private static final int HEADER_BYTES = 16;
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;

    private ControlMessages() {}

    /** Bytes of a message with that many descriptors. */
    static long space(int descriptors) {
        return (HEADER_BYTES + 4L * descriptors + 7) & ~7L;
    }

    /** Writes one SCM_RIGHTS message. */
    static void write(MemorySegment control, int[] numbers) {
        control.set(ValueLayout.JAVA_LONG, 0, HEADER_BYTES + 4L * numbers.length);
        control.set(ValueLayout.JAVA_INT, 8, SOL_SOCKET);
        control.set(ValueLayout.JAVA_INT, 12, SCM_RIGHTS);
        for (int i = 0; i < numbers.length; i++) {
            control.set(ValueLayout.JAVA_INT, HEADER_BYTES + 4L * i, numbers[i]);
        }
    }

    /**
     * The descriptor numbers in {@code lengthBytes} of received control data. Lengths that lead outside end the search;
     * nothing outside is read.
     */
    static int[] read(MemorySegment control, long lengthBytes) {
        long end = Math.min(Math.max(0, lengthBytes), control.byteSize());
        int[] numbers = new int[0];
        long at = 0;
        while (end - at >= HEADER_BYTES) {
            long length = control.get(ValueLayout.JAVA_LONG, at);
            if (length < HEADER_BYTES || length > end - at) {
                break;
            }
            boolean rights = control.get(ValueLayout.JAVA_INT, at + 8) == SOL_SOCKET
                    && control.get(ValueLayout.JAVA_INT, at + 12) == SCM_RIGHTS;
            int count = rights ? (int) ((length - HEADER_BYTES) / 4) : 0;
            int have = numbers.length;
            numbers = Arrays.copyOf(numbers, have + count);
            for (int i = 0; i < count; i++) {
                numbers[have + i] = control.get(ValueLayout.JAVA_INT, at + HEADER_BYTES + 4L * i);
            }
            at += (length + 7) & ~7L;
        }
        return numbers;
    }

    static void closeAll(List<Fd> descriptors) {
        descriptors.forEach(Fd::close);
    }
}
