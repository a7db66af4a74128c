package dev.bascule.swap;

/**
 * The swap on one word that both ends can compare-and-swap: state 3, epoch 13, n 16, token 32. Each function returns
 * the word after the transition, or the same word if it is not allowed; every transition changes the word.
 * <p>
 * Unlike the lines, an agent may take its promise back ({@link #withdraw}), because the host cannot commit without
 * finding the promise still there. An offer also says what became of the agent's last promise, for an agent that did
 * not look in time.
 */
final class OneWord {
    static final int IDLE = 0;
    /** Offered; the agent's last promise, if any, was reversed. */
    static final int OFFERED = 1;
    /** Offered; the agent's last promise was committed. */
    static final int OFFERED_AFTER_COMMIT = 2;
    static final int REFLECTED = 3;
    static final int COMMITTED = 4;
    static final int REVERSED = 5;
    /** Reversed unanswered; the agent's last promise, which it may not have looked after, was committed. */
    static final int REVERSED_AFTER_COMMIT = 6;

    static final int LAST_EPOCH = 0x1FFF;
    static final int LAST_NUMBER = 0xFFFF;

    private OneWord() {}

    static long of(int state, int epoch, int n, int token) {
        return (long) state << 61 | (long) (epoch & LAST_EPOCH) << 48 | (long) (n & LAST_NUMBER) << 32
                | token & 0xFFFF_FFFFL;
    }

    static int state(long word) {
        return (int) (word >>> 61);
    }

    static int epoch(long word) {
        return (int) (word >>> 48) & LAST_EPOCH;
    }

    static int n(long word) {
        return (int) (word >>> 32) & LAST_NUMBER;
    }

    static int token(long word) {
        return (int) word;
    }

    private static boolean is(long word, int epoch, int n) {
        return epoch(word) == epoch && n(word) == n;
    }

    static boolean offered(long word) {
        return state(word) == OFFERED || state(word) == OFFERED_AFTER_COMMIT;
    }

    /** Whether the word says that the agent's last promise was committed. */
    static boolean tellsCommit(long word) {
        int state = state(word);
        return state == COMMITTED || state == OFFERED_AFTER_COMMIT || state == REVERSED_AFTER_COMMIT;
    }

    /** Whether {@code word} was stored after {@code other}, in a word that began at zero; false if it is none at all. */
    static boolean isNewer(long word, long other) {
        if (state(word) > REVERSED_AFTER_COMMIT) {
            return false; // all ones: a refused access
        }
        long ages = (word << 3 >>> 35) - (other << 3 >>> 35);
        return ages > 0 || ages == 0 && stage(word) > stage(other);
    }

    private static int stage(long word) {
        int state = state(word);
        return offered(word) ? 1 : state == REFLECTED ? 2 : state == IDLE ? 0 : 3;
    }

    /** Host: the next offer. The swap before it must have ended. */
    static long offer(long word, int epoch, int n, int a) {
        boolean ended = !offered(word) && state(word) != REFLECTED;
        return ended && epoch(word) == epoch && n(word) + 1 == n
                ? of(tellsCommit(word) ? OFFERED_AFTER_COMMIT : OFFERED, epoch, n, a)
                : word;
    }

    /** Agent: promises b. */
    static long reflect(long word, int epoch, int n, int b) {
        return offered(word) && is(word, epoch, n) ? of(REFLECTED, epoch, n, b) : word;
    }

    /** Host: commits the promise. */
    static long commit(long word, int epoch, int n) {
        return state(word) == REFLECTED && is(word, epoch, n) ? of(COMMITTED, epoch, n, token(word)) : word;
    }

    /** Host: ends the offer, answered or not. */
    static long reverse(long word, int epoch, int n) {
        if (!is(word, epoch, n) || !offered(word) && state(word) != REFLECTED) {
            return word;
        }
        return of(state(word) == OFFERED_AFTER_COMMIT ? REVERSED_AFTER_COMMIT : REVERSED, epoch, n, 0);
    }

    /** Agent: takes its promise back. */
    static long withdraw(long word, int epoch, int n) {
        return state(word) == REFLECTED && is(word, epoch, n) ? of(REVERSED, epoch, n, 0) : word;
    }

    /** Host: a new epoch; no compare-and-swap of an older one can succeed again. */
    static long fence(long word, int toEpoch) {
        return toEpoch > epoch(word) && toEpoch <= LAST_EPOCH ? of(IDLE, toEpoch, 0, 0) : word;
    }
}
