package dev.bascule.wave;

import dev.bascule.agent.Lines;
import dev.bascule.agent.Transaction;
import dev.bascule.memory.Window;

/**
 * A staged decision: one line, written by the agent and only read by the host. Word 0: number 32 | epoch 16 | kind 8 |
 * revision 8; words 1 to 6 the decision; word 7 digest. Overwriting it with a higher revision withdraws it.
 */
final class SlotLine {
    static final int DECISION = 1;
    static final int WITHDRAWN = 2;

    private SlotLine() {}

    static long head(int number, int epoch, int kind, int revision) {
        return (long) number << 32 | (epoch & 0xffffL) << 16 | (long) kind << 8 | (revision & 0xff);
    }

    static int number(long head) {
        return (int) (head >>> 32);
    }

    static int epoch(long head) {
        return (int) (head >>> 16) & 0xffff;
    }

    static int kind(long head) {
        return (int) (head >>> 8) & 0xff;
    }

    static int revision(long head) {
        return (int) head & 0xff;
    }

    /** Writes the decision; {@code scratch} holds a line. */
    static void write(Window window, long line, long head, long[] words, long[] scratch) {
        Lines.fill(scratch, head, words, line);
        window.storeLine(line, scratch, 0);
    }

    /** Copies the decision; false if the line is torn or damaged. {@code scratch} holds a line. */
    static boolean read(Window window, long line, int cpu, long head, Transaction into, long[] scratch) {
        window.loadLine(line, scratch, 0);
        into.slot(cpu, number(head), revision(head));
        return Lines.open(scratch, head, into.words(), line);
    }
}
