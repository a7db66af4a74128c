package dev.bascule.swap;

import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of one CPU whose outcome the agent does not know yet, oldest first: staged (the agent's to take back),
 * promised (in escrow), or over. Numbers count from 1. Outcomes are reported in order. Allocation-free.
 */
final class StagedDecisions {
    private static final byte STAGED = 0;
    private static final byte PROMISED = 1;
    private static final byte OVER = 2;

    private final int capacity;
    private final int mask;
    private final long[] words;
    private final byte[] state;
    private final Outcome[] outcome;
    private int last;
    private int committed;
    private int settled;

    StagedDecisions(int capacity) {
        this.capacity = capacity;
        int entries = Integer.highestOneBit(2 * capacity - 1);
        mask = entries - 1;
        words = new long[entries * Line.WORDS];
        state = new byte[entries];
        outcome = new Outcome[entries];
        java.util.Arrays.fill(outcome, Outcome.ABORTED);
    }

    private int index(int number) {
        return number & mask;
    }

    int room() {
        return capacity - (last - settled);
    }

    void add(int cpu, Transaction decision) {
        last++;
        decision.slot(cpu, last, 0);
        int at = index(last) * Line.WORDS;
        System.arraycopy(decision.words(), 0, words, at, Message.WORDS);
        words[at + Message.WORDS] = last & 0xffff_ffffL;
        words[at + Message.WORDS + 1] = 0;
        state[index(last)] = STAGED;
    }

    /** Lets decisions that were staged be promised from now on. */
    void commit() {
        committed = last;
    }

    /** Puts up to {@code most} decisions in escrow and copies them, eight words each; returns how many. */
    int promise(long[] into, int most) {
        int count = 0;
        for (int number = settled + 1; committed - number >= 0 && count < most; number++) {
            int i = index(number);
            if (state[i] == STAGED) {
                state[i] = PROMISED;
                System.arraycopy(words, i * Line.WORDS, into, count++ * Line.WORDS, Line.WORDS);
            }
        }
        return count;
    }

    /** The exchange was committed: four bits of {@code answers} for each decision promised. */
    void committed(long answers) {
        int k = 0;
        for (int number = settled + 1; last - number >= 0; number++) {
            if (state[index(number)] == PROMISED) {
                over(number, OutcomeBits.get(answers, k++));
            }
        }
    }

    /** The exchange was reversed: no decision promised was used. */
    void reversed() {
        for (int number = settled + 1; last - number >= 0; number++) {
            if (state[index(number)] == PROMISED) {
                over(number, Outcome.ABORTED);
            }
        }
    }

    private void over(int number, @Nullable Outcome how) {
        state[index(number)] = OVER;
        outcome[index(number)] = how == null ? Outcome.ABORTED : how;
    }

    /** Whether the newest decision's outcome is open. */
    boolean isOpen() {
        return last != settled && state[index(last)] != OVER;
    }

    /** Whether the newest decision is not promised yet. */
    boolean isStaged() {
        return state[index(last)] == STAGED;
    }

    /** The agent takes the newest decision back before anybody used it. */
    void withdrawn() {
        over(last, Outcome.ABORTED);
    }

    /** Reports the outcomes of the oldest decisions that are over; returns how many. */
    int settle(int cpu, OutcomeSink sink) {
        int count = 0;
        while (settled != last && state[index(settled + 1)] == OVER) {
            settled++;
            int i = index(settled);
            sink.settled(cpu, settled, words[i * Line.WORDS], outcome[i]);
            count++;
        }
        return count;
    }
}
