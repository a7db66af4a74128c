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

    static void write(Window window, long line, long head, long[] words) {
        window.storeRelease(line + 8, words[0]);
        window.storeRelease(line + 16, words[1]);
        window.storeRelease(line + 24, words[2]);
        window.storeRelease(line + 32, words[3]);
        window.storeRelease(line + 40, words[4]);
        window.storeRelease(line + 48, words[5]);
        window.storeRelease(line + 56,
                Lines.digest(head, words[0], words[1], words[2], words[3], words[4], words[5], line));
        window.storeRelease(line, head);
    }

    /** Copies the decision; false if the line is torn or damaged. */
    static boolean read(Window window, long line, int cpu, long head, Transaction into) {
        long[] words = into.words();
        for (int i = 0; i < words.length; i++) {
            words[i] = window.loadAcquire(line + 8 + i * 8L);
        }
        into.slot(cpu, number(head), revision(head));
        return window.loadAcquire(line + 56) == Lines.digest(head, words[0], words[1], words[2], words[3], words[4],
                words[5], line);
    }
}
