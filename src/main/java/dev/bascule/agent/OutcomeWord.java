package dev.bascule.agent;

import org.jspecify.annotations.Nullable;

/**
 * Outcome of one decision: a single word, so it cannot be torn, with a check against corruption. Number 32 | epoch 12
 * (lowest bits) | outcome 4 | check 16, high to low.
 */
public final class OutcomeWord {
    private OutcomeWord() {}

    /** The word for the decision's outcome, bound to its {@code position}. */
    public static long of(int number, int epoch, Outcome outcome, long position) {
        return Lines.seal((long) number << 32 | (epoch & 0xfffL) << 20 | (long) outcome.ordinal() << 16, position);
    }

    /** The outcome of decision {@code number} of {@code epoch}, or null if the word holds anything else. */
    public static @Nullable Outcome read(long word, int number, int epoch, long position) {
        boolean meant = (int) (word >>> 32) == number && ((int) word >>> 20 & 0xfff) == (epoch & 0xfff);
        return meant && Lines.isSealed(word, position) ? Outcome.ofCode((int) word >>> 16 & 0xf) : null;
    }
}
