package dev.bascule.agent;

import dev.bascule.memory.Window;

/**
 * The agent's end of a channel in its own memory. Takes lines in the order of their sequence numbers. A line that never
 * becomes whole is skipped and counted once its successor has arrived or the host says that it was sent; the agent must
 * then read the status words.
 */
public final class MessageReceiver {
    /** Looks at an incomplete line before it is given up, if it is known that it was sent. */
    private static final int PATIENCE = 4096;

    private static final long MARK = 0xff00;

    private final Window window;
    private final Window credits;
    private final long base;
    private final int entries;
    private final long creditOffset;
    private final int epoch;
    private final TransportCounters counters;
    private final long[] whole = new long[Lines.WORDS];
    private int taken;
    private int credit;
    private int mark;
    private int misses;
    private int skipped;
    private boolean suspected;

    /** An end that reads lines and writes its credit through one window. */
    public MessageReceiver(Window window, long base, int entries, long creditOffset, int epoch,
            TransportCounters counters) {
        this(window, window, base, entries, creditOffset, epoch, counters);
    }

    /** An end that reads lines through one window (cached copies allowed) and writes its credit through another. */
    public MessageReceiver(Window window, Window credits, long base, int entries, long creditOffset, int epoch,
            TransportCounters counters) {
        this.window = window;
        this.credits = credits;
        this.base = base;
        this.entries = entries;
        this.creditOffset = creditOffset;
        this.epoch = epoch;
        this.counters = counters;
    }

    /** Copies the next message's words, without taking it. */
    public boolean peek(long[] into) {
        long line = line(taken);
        if (!window.arrived(line)) {
            return false;
        }
        long first = window.loadAcquire(line);
        if ((first & ~MARK) != first(taken)) {
            window.invalidateLine(line); // the next look is to see the memory, not a cached copy
            misses++;
            return false;
        }
        window.loadLine(line, whole, 0);
        if (!Lines.open(whole, first, into, line)) {
            window.invalidateLine(line);
            misses++;
            counters.torn++;
            return false;
        }
        mark = (int) (first & MARK) >>> 8;
        return true;
    }

    /** The sender's mark, eight bits, of the message peeked at. */
    public int mark() {
        return mark;
    }

    /** Consumes the message peeked at; credit is returned for an eighth of the ring at a time. */
    public void consume() {
        taken++;
        misses = 0;
        suspected = false;
        if (taken - credit >= Math.max(1, entries >> 3)) {
            returnCredit();
        }
    }

    /** Whether {@link #recover} would do anything; asked when there was nothing to take. */
    public boolean needsCare() {
        return credit != taken || misses >= PATIENCE;
    }

    /**
     * Gives up lines that were lost or stay damaged; called when there was nothing to take.
     *
     * @param sentAtLeast the host's latest count of messages sent
     */
    public void recover(int sentAtLeast) {
        if (credit != taken) {
            returnCredit();
        }
        if (misses < PATIENCE) {
            return;
        }
        misses = 0;
        window.invalidateLine(line(taken + 1));
        int behind = sentAtLeast - taken;
        if (behind <= 0 && (window.loadAcquire(line(taken + 1)) & ~MARK) != first(taken + 1)) {
            return;
        }
        if (!suspected) {
            suspected = true; // both may have come since the last look at this one: look as often again
        } else {
            suspected = false;
            counters.corrupt++;
            skipped++;
            taken += Math.max(1, behind - entries + 1); // further behind than the ring is long: overrun
            returnCredit();
        }
    }

    /** Lines given up so far. */
    public int skipped() {
        return skipped;
    }

    /** Messages taken or given up so far. */
    public int taken() {
        return taken;
    }

    private void returnCredit() {
        credit = taken;
        repeatCredit();
    }

    /** Writes the credit, epoch 32 | messages taken 32, once more: an agent two epochs old may have written over it. */
    public void repeatCredit() {
        credits.storeRelease(creditOffset, (long) epoch << 32 | credit & 0xffff_ffffL);
        credits.writeFence();
    }

    private long line(int message) {
        return base + (long) (message & entries - 1) * Window.LINE_BYTES;
    }

    private long first(int message) {
        return (long) (message + 1) << 32 | (epoch & 0xffffL) << 16 | MessageSender.KIND;
    }
}
