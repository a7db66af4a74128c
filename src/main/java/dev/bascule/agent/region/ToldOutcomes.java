package dev.bascule.agent.region;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Count of one CPU's decisions that messages tell of: all up to that number are settled, and each whose outcome the agent
 * may not have seen yet is COMPLETE. An agent that reads it with a message need not look for those outcomes, which would
 * move a line. After a refusal the count stands still until the agent has staged a decision for which it must have seen
 * the refusal: until then it looks. So what is told is never wrong, only late.
 * <p>
 * Messages carry the lowest eight bits. The count only rises, messages arrive in order, and the reader adds the least
 * that fits: so it never gets ahead of the count, whatever it missed, and catches up unless 256 decisions pass without a
 * message.
 * <p>
 * Thread rule: {@link #settled} and {@link #open} the CPU's thread; {@link #mark} any.
 */
final class ToldOutcomes {
    private static final int MARK = 0xff;
    private static final VarHandle TOLD = handle();

    private final int capacity;
    @SuppressWarnings("unused") // through the handle
    private volatile int told;
    private int last;
    private int clean;

    /** A CPU's, for which at most {@code capacity} decisions are staged. */
    ToldOutcomes(int capacity) {
        this.capacity = capacity;
        open();
    }

    /** A new epoch: its decisions are numbered from 1 on. */
    void open() {
        last = 0;
        clean = 1;
        TOLD.setOpaque(this, 0);
    }

    /** A decision has this outcome. Numbers left out were withdrawn. */
    void settled(int number, boolean isComplete) {
        if (number != last + 1) {
            clean = number - 1 + capacity;
        }
        last = number;
        if (!isComplete) {
            clean = number + capacity;
        } else if (number - clean >= 0) {
            TOLD.setOpaque(this, number);
        }
    }

    /** The lowest bits of the count, for a message about the CPU. */
    int mark() {
        return (int) TOLD.getOpaque(this) & MARK;
    }

    /** The reader's count after {@code mark}, before it {@code count}. */
    static int advance(int count, int mark) {
        return count + (mark - count & MARK);
    }

    private static VarHandle handle() {
        try {
            return MethodHandles.lookup().findVarHandle(ToldOutcomes.class, "told", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
