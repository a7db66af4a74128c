package dev.bascule.swap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A {@link Line} on the Java heap, for both ends in one process and for checkers that cannot see off-heap accesses.
 */
public final class ArrayLine implements Line {
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] words = new long[WORDS];

    @Override
    public long get(int word) {
        return (long) WORD.getAcquire(words, word);
    }

    @Override
    public void set(int word, long value) {
        WORD.setRelease(words, word, value);
    }
}
