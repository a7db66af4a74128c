package dev.bascule.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** The line workloads in Java: the same bytes and steps as {@code native/bench/line.c}. */
final class Lines {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long STRIDE = 256;

    private final MemorySegment memory = Arena.global().allocate(4096, 4096);
    private final int pauses;

    /** Lines on memory of their own; {@code pauses} PAUSE instructions between two looks. */
    Lines(int pauses) {
        this.pauses = pauses;
    }

    long ping(long start, long count) {
        MemorySegment m = memory;
        long sum = 0;
        for (long i = start + 1; i <= start + count; i++) {
            WORD.setRelease(m, 0L, i);
            sum += awaitWord(m, STRIDE, i);
        }
        return sum;
    }

    long pong(long start, long count) {
        MemorySegment m = memory;
        long sum = 0;
        for (long i = start + 1; i <= start + count; i++) {
            sum += awaitWord(m, 0, i);
            WORD.setRelease(m, STRIDE, i);
        }
        return sum;
    }

    long request(long start, long count) {
        MemorySegment m = memory;
        long sum = 0;
        for (long i = start + 1; i <= start + count; i++) {
            putLine(m, 0, i);
            sum += awaitLine(m, STRIDE, i);
        }
        return sum;
    }

    long respond(long start, long count) {
        MemorySegment m = memory;
        long sum = 0;
        for (long i = start + 1; i <= start + count; i++) {
            sum += awaitLine(m, 0, i);
            putLine(m, STRIDE, i);
        }
        return sum;
    }

    /** A side of the bilateral exchange: 0 or 1. */
    Side exchange(int side) {
        long own = side * STRIDE;
        long other = (1 - side) * STRIDE;
        return (start, count) -> {
            MemorySegment m = memory;
            long sum = 0;
            for (long i = start + 1; i <= start + count; i++) {
                long buffer = (i & 1) * 2 * STRIDE;
                putLine(m, buffer + own, i);
                sum += awaitLine(m, buffer + other, i);
            }
            return sum;
        };
    }

    private static void putLine(MemorySegment m, long line, long i) {
        WORD.set(m, line + 8, i + 1);
        WORD.set(m, line + 16, i + 2);
        WORD.set(m, line + 24, i + 3);
        WORD.set(m, line + 32, i + 4);
        WORD.set(m, line + 40, i + 5);
        WORD.set(m, line + 48, i + 6);
        WORD.set(m, line + 56, i + 7);
        // release: partner is the acquire in awaitWord
        WORD.setRelease(m, line, i);
    }

    private long awaitLine(MemorySegment m, long line, long i) {
        awaitWord(m, line, i);
        return (long) WORD.get(m, line + 8) + (long) WORD.get(m, line + 16) + (long) WORD.get(m, line + 24)
                + (long) WORD.get(m, line + 32) + (long) WORD.get(m, line + 40) + (long) WORD.get(m, line + 48)
                + (long) WORD.get(m, line + 56);
    }

    private long awaitWord(MemorySegment m, long offset, long i) {
        long got = (long) WORD.getAcquire(m, offset);
        while (got != i) {
            for (int p = 0; p < pauses; p++) {
                Thread.onSpinWait();
            }
            got = (long) WORD.getAcquire(m, offset);
        }
        return got;
    }
}
