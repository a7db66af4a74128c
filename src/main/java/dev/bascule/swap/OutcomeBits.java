package dev.bascule.swap;

import dev.bascule.agent.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Outcomes of the decisions of the last committed exchange: four bits a decision, in word 3 of every host line after it
 * (48 bits, so twelve decisions).
 */
final class OutcomeBits {
    /** Decisions that fit. */
    static final int MOST = 12;

    private OutcomeBits() {}

    static long with(long answers, int index, Outcome outcome) {
        return answers & ~(0xfL << 4 * index) | (long) outcome.ordinal() << 4 * index;
    }

    static @Nullable Outcome get(long answers, int index) {
        return Outcome.ofCode((int) (answers >>> 4 * index) & 0xf);
    }
}
