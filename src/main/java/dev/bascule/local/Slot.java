package dev.bascule.local;

import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.memory.PinnedWindow;

/**
 * A transaction slot in coherent memory: a line that the agent writes, with the decision; a word that host and agent
 * race for, which says who got it; and a word that the host writes, with the outcome. They lie in lines of their own:
 * the host then takes a decision in a line that nobody else touches (but for a withdrawal), and the outcome it
 * writes does not come between it and the next decision.
 * <p>
 * Heads of all three: number 32 | epoch 16 | outcome 8 | state 8 (high to low). Line: head, words 1 to 6 the decision.
 * <p>
 * Order: READY is the agent's release, partner the host's acquire of the head; CLAIMED and WITHDRAWN are stored by
 * compare-and-swap from what the slot's last use left, so that one of the two wins; SETTLED is the host's release,
 * partner the agent's acquire.
 */
final class Slot {
    static final int READY = 1;
    static final int CLAIMED = 2;
    static final int SETTLED = 3;
    static final int WITHDRAWN = 4;

    private Slot() {}

    static long head(int number, int epoch, int outcome, int state) {
        return (long) number << 32 | (epoch & 0xffffL) << 16 | (outcome & 0xffL) << 8 | state;
    }

    static int number(long head) {
        return (int) (head >>> 32);
    }

    static int epoch(long head) {
        return (int) (head >>> 16) & 0xffff;
    }

    static int outcome(long head) {
        return (int) (head >>> 8) & 0xff;
    }

    /** Whether it is the head of this decision in this state, whatever its outcome. */
    static boolean is(long head, int number, int epoch, int state) {
        return (head & ~0xff00L) == head(number, epoch, 0, state);
    }

    static void publish(PinnedWindow memory, long line, int number, long[] words, int epoch) {
        for (int i = 0; i < Message.WORDS; i++) {
            memory.storeRelease(line + 8 + i * 8L, words[i]);
        }
        memory.storeRelease(line, head(number, epoch, 0, READY));
    }

    static void read(PinnedWindow memory, long line, int cpu, int number, Transaction into) {
        long[] words = into.words();
        for (int i = 0; i < Message.WORDS; i++) {
            words[i] = memory.loadAcquire(line + 8 + i * 8L);
        }
        into.slot(cpu, number, 0);
    }

    /**
     * Whether the place of {@code number} was used again, for a decision at least {@code places} later: the agent does so
     * only once what lay in it is settled or withdrawn. A nearer number does not belong there.
     */
    static boolean isLater(long head, int number, int epoch, int places) {
        return is(head, number(head), epoch, READY) && number(head) - number >= places;
    }

    /**
     * The host takes the decision; false if the agent withdrew it, or does so now. A word of the same or a later decision
     * is never replaced: the agent may have withdrawn this one and used its place again since the host read the line.
     */
    static boolean claim(PinnedWindow memory, long claim, int number, int epoch) {
        long before = memory.loadAcquire(claim);
        boolean mayTake = before == 0 || epoch(before) != epoch || number(before) - number < 0;
        return mayTake && memory.compareAndSet(claim, before, head(number, epoch, 0, CLAIMED));
    }

    /**
     * The agent takes its decision back; false if the host has it. Nothing of another epoch is replaced: an agent that
     * does not know yet that it was fenced must not undo a claim of its successor's decision.
     */
    static boolean withdraw(PinnedWindow memory, long claim, int number, int epoch) {
        long before = memory.loadAcquire(claim);
        boolean mayTake = before == 0 || epoch(before) == epoch && number(before) != number;
        return mayTake && memory.compareAndSet(claim, before, head(number, epoch, 0, WITHDRAWN));
    }

    static void settle(PinnedWindow memory, long outcomeWord, int number, int epoch, Outcome outcome) {
        memory.storeRelease(outcomeWord, head(number, epoch, outcome.ordinal(), SETTLED));
    }
}
