package dev.bascule.swap;

import dev.bascule.memory.Window;

/** An {@link AtomicWord} of a window that has atomics, and at which both ends look. Thread rule: the window's. */
final class WindowWord implements AtomicWord {
    private final Window window;
    private final long offset;

    /** @param offset bytes, a multiple of 8 */
    WindowWord(Window window, long offset) {
        this.window = window;
        this.offset = offset;
    }

    @Override
    public long get() {
        window.invalidateLine(offset);
        return window.loadAcquire(offset);
    }

    @Override
    public boolean compareAndSet(long expected, long next) {
        return window.compareAndSwap(offset, expected, next) == expected;
    }
}
