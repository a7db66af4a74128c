package dev.bascule.swap;

import java.util.concurrent.atomic.AtomicLong;

/** An {@link AtomicWord} that checkers can see. */
final class HeapWord implements AtomicWord {
    private final AtomicLong word;

    HeapWord(long initial) {
        word = new AtomicLong(initial);
    }

    @Override
    public long get() {
        return word.getAcquire();
    }

    @Override
    public boolean compareAndSet(long expected, long next) {
        return word.compareAndSet(expected, next);
    }
}
