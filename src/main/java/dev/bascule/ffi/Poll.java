package dev.bascule.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/** poll(2) on one descriptor. */
final class Poll {
    private Poll() {}

    /**
     * Waits until one of {@code events} (or error, or hang-up) is there.
     *
     * @param timeoutMillis negative waits forever
     * @return the events that are there, 0 after the timeout
     */
    static int await(Fd fd, int events, long timeoutMillis) {
        Scratch scratch = Scratch.ofThread();
        MemorySegment entry = scratch.word; // a struct pollfd: a thread waits for one thing at a time
        int number = fd.enter();
        try {
            entry.set(ValueLayout.JAVA_INT, 0, number);
            entry.set(ValueLayout.JAVA_SHORT, 4, (short) events);
            long start = timeoutMillis > 0 ? System.nanoTime() : 0;
            int left = (int) Math.min(Integer.MAX_VALUE, timeoutMillis);
            while (true) {
                int ready = (int) NativeCall.raw(Fn.POLL, scratch.state, scratch.address, 1, left);
                if (ready >= 0) {
                    return ready == 0 ? 0 : entry.get(ValueLayout.JAVA_SHORT, 6) & 0xffff;
                }
                if (NativeCall.errno(scratch.state) != Errno.EINTR) {
                    throw new NativeException("poll", fd.name(), NativeCall.errno(scratch.state));
                }
                if (timeoutMillis > 0) {
                    left = millisUntil(start + TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
                }
            }
        } finally {
            fd.exit();
        }
    }

    /** Milliseconds left, rounded up, at least 0, at most what an int holds. */
    static int millisUntil(long deadlineNanos) {
        long left = deadlineNanos - System.nanoTime();
        return left <= 0 ? 0 : (int) Math.min(Integer.MAX_VALUE, (left + 999_999) / 1_000_000);
    }
}
