package dev.bascule.workload.lauberhorn;

import java.util.Arrays;

/**
 * The account of a load: every call by its number, from 0. A call is answered, refused, or has no answer yet; anything else
 * is counted as what it is. Two bits a call.
 * <p>
 * Thread rule: one thread.
 */
public final class RpcAccount {
    private static final int NEW = 0;
    private static final int SENT = 1;
    private static final int DONE = 2;

    private long[] states = new long[1024];
    private long sent;
    private long answered;
    private long refused;
    private long twice;
    private long unknown;
    private long wrong;

    /** Call {@code number} was sent. */
    public void sent(long number) {
        int word = (int) (number >>> 5);
        if (word >= states.length) {
            states = Arrays.copyOf(states, Math.max(word + 1, 2 * states.length));
        }
        set(number, SENT);
        sent++;
    }

    private int get(long number) {
        int word = (int) (number >>> 5);
        return number < 0 || word >= states.length ? NEW : (int) (states[word] >>> ((number & 31) << 1)) & 3;
    }

    private void set(long number, int state) {
        int word = (int) (number >>> 5);
        int shift = (int) (number & 31) << 1;
        states[word] = states[word] & ~(3L << shift) | (long) state << shift;
    }

    /**
     * A reply came.
     *
     * @param isResult whether it has a result, and not a refusal
     * @param isRight whether that is what the call asked for
     * @return whether it is the first one to a call
     */
    public boolean replied(long number, boolean isResult, boolean isRight) {
        int state = get(number);
        if (state != SENT) {
            twice += state == DONE ? 1 : 0;
            unknown += state == NEW ? 1 : 0;
            return false;
        }
        set(number, DONE);
        answered += isResult ? 1 : 0;
        refused += isResult ? 0 : 1;
        wrong += isRight ? 0 : 1;
        return true;
    }

    /** Calls sent. */
    public long sent() {
        return sent;
    }

    /** Calls with a result. */
    public long answered() {
        return answered;
    }

    /** Calls that were refused. */
    public long refused() {
        return refused;
    }

    /** Calls without any reply so far. */
    public long open() {
        return sent - answered - refused;
    }

    /** Replies to calls that had one. */
    public long twice() {
        return twice;
    }

    /** Replies to calls that nobody made. */
    public long unknown() {
        return unknown;
    }

    /** Results of other calls, or of another service. */
    public long wrong() {
        return wrong;
    }

    /** Whether each call has exactly one reply, of its own. */
    public boolean isClean() {
        return open() == 0 && twice == 0 && unknown == 0 && wrong == 0;
    }
}
