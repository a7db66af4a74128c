package dev.bascule.local;

import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A transaction slot in coherent memory: one line that carries the decision one way and its outcome back, as ghOSt's
 * does. Word 0: number 32 | epoch 16 | outcome 8 | state 8 (high to low); words 1 to 6 the decision.
 * <p>
 * States: EMPTY, READY (agent's release; partner: host's acquire in claim), CLAIMED (host's compare-and-swap, so that a
 * withdrawal and a claim cannot both win), SETTLED (host's release; partner: agent's acquire).
 */
final class Slot {
    static final int READY = 1;
    static final int CLAIMED = 2;
    static final int SETTLED = 3;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private Slot() {}

    static long head(int number, int epoch, int outcome, int state) {
        return (long) number << 32 | (epoch & 0xffffL) << 16 | (outcome & 0xffL) << 8 | state;
    }

    static long load(MemorySegment memory, long slot) {
        return (long) WORD.getAcquire(memory, slot);
    }

    static int state(long head) {
        return (int) head & 0xff;
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

    static void publish(MemorySegment memory, long slot, Transaction decision, int epoch) {
        long[] words = decision.words();
        for (int i = 0; i < Message.WORDS; i++) {
            WORD.set(memory, slot + 8 + i * 8L, words[i]);
        }
        WORD.setRelease(memory, slot, head(decision.number(), epoch, 0, READY));
    }

    static boolean claim(MemorySegment memory, long slot, int cpu, long head, Transaction into) {
        if (!WORD.compareAndSet(memory, slot, head, head & ~0xffL | CLAIMED)) {
            return false;
        }
        long[] words = into.words();
        for (int i = 0; i < Message.WORDS; i++) {
            words[i] = (long) WORD.get(memory, slot + 8 + i * 8L);
        }
        into.slot(cpu, number(head), 0);
        return true;
    }

    static void settle(MemorySegment memory, long slot, int number, int epoch, Outcome outcome) {
        WORD.setRelease(memory, slot, head(number, epoch, outcome.ordinal(), SETTLED));
    }

    static boolean withdraw(MemorySegment memory, long slot, int number, int epoch) {
        return WORD.compareAndSet(memory, slot, head(number, epoch, 0, READY),
                head(number, epoch, Outcome.ABORTED.ordinal(), SETTLED));
    }

    static long word(MemorySegment memory, long offset) {
        return (long) WORD.getAcquire(memory, offset);
    }

    static void word(MemorySegment memory, long offset, long value) {
        WORD.setRelease(memory, offset, value);
    }
}
