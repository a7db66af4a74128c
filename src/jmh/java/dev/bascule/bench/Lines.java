package dev.bascule.bench;

import dev.bascule.ffi.RawMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The line workloads in Java: the same bytes and steps as {@code native/bench/line.c}. */
final class Lines {
    private static final long STRIDE = 256;

    private final MemorySegment memory = Arena.global().allocate(4096, 4096);
    private final int pauses;

    /** Lines on memory of their own; {@code pauses} PAUSE instructions between two looks. */
    Lines(int pauses) {
        this.pauses = pauses;
    }

    long ping(long start, long count) {
        long m = memory.address();
        long sum = 0;
        for (long i = start + 1; i <= start + count; i++) {
            RawMemory.storeRelease(m, i);
            sum += awaitWord(m + STRIDE, i);
        }
        return sum;
    }

    long pong(long start, long count) {
        long m = memory.address();
        long sum = 0;
        for (long i = start + 1; i <= start + count; i++) {
            sum += awaitWord(m, i);
            RawMemory.storeRelease(m + STRIDE, i);
        }
        return sum;
    }

    long request(long start, long count) {
        long m = memory.address();
        long sum = 0;
        for (long i = start + 1; i <= start + count; i++) {
            putLine(m, i);
            sum += awaitLine(m + STRIDE, i);
        }
        return sum;
    }

    long respond(long start, long count) {
        long m = memory.address();
        long sum = 0;
        for (long i = start + 1; i <= start + count; i++) {
            sum += awaitLine(m, i);
            putLine(m + STRIDE, i);
        }
        return sum;
    }

    /** A side of the bilateral exchange: 0 or 1. */
    Side exchange(int side) {
        long own = memory.address() + side * STRIDE;
        long other = memory.address() + (1 - side) * STRIDE;
        return (start, count) -> {
            long sum = 0;
            for (long i = start + 1; i <= start + count; i++) {
                long buffer = (i & 1) * 2 * STRIDE;
                putLine(own + buffer, i);
                sum += awaitLine(other + buffer, i);
            }
            return sum;
        };
    }

    private static void putLine(long line, long i) {
        RawMemory.store(line + 8, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7);
        RawMemory.storeRelease(line, i); // partner: the acquire in awaitWord
    }

    private long awaitLine(long line, long i) {
        awaitWord(line, i);
        return RawMemory.load(line + 8) + RawMemory.load(line + 16) + RawMemory.load(line + 24)
                + RawMemory.load(line + 32) + RawMemory.load(line + 40) + RawMemory.load(line + 48)
                + RawMemory.load(line + 56);
    }

    private long awaitWord(long address, long i) {
        long got = RawMemory.loadAcquire(address);
        while (got != i) {
            for (int p = 0; p < pauses; p++) {
                Thread.onSpinWait();
            }
            got = RawMemory.loadAcquire(address);
        }
        return got;
    }
}
