package dev.bascule.swap;

import dev.bascule.agent.Lines;
import dev.bascule.agent.Message;
import dev.bascule.memory.Window;

/**
 * A decision beside a word: one line, written by the agent only. Word 0: number 32 | epoch 16 | zero 16; words 1 to 6
 * the decision; word 7 digest.
 */
final class DecisionLine {
    /** Index of the number in a staged decision. */
    static final int NUMBER = Message.WORDS;

    private DecisionLine() {}

    private static long head(int number, int epoch) {
        return (long) number << 32 | (epoch & 0xffffL) << 16;
    }

    static void write(Window window, long line, int number, int epoch, long[] from, int at) {
        long head = head(number, epoch);
        for (int i = 0; i < Message.WORDS; i++) {
            window.storeRelease(line + 8 + i * 8L, from[at + i]);
        }
        window.storeRelease(line + 56, digest(head, from, at, line));
        window.storeRelease(line, head);
    }

    /** Copies the decision; false if it is another one, or not whole. */
    static boolean read(Window window, long line, int number, int epoch, long[] into) {
        window.invalidateLine(line);
        long head = window.loadAcquire(line);
        for (int i = 0; i < Message.WORDS; i++) {
            into[i] = window.loadAcquire(line + 8 + i * 8L);
        }
        return head == head(number, epoch) && window.loadAcquire(line + 56) == digest(head, into, 0, line);
    }

    private static long digest(long head, long[] w, int at, long line) {
        return Lines.digest(head, w[at], w[at + 1], w[at + 2], w[at + 3], w[at + 4], w[at + 5], line);
    }
}
