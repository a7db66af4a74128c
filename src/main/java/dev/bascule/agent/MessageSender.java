package dev.bascule.agent;

import dev.bascule.memory.Window;

/**
 * The host's end of a channel: a ring of lines in NIC memory. A line carries its own sequence number and digest, so it
 * may be written in any order and in pieces; nothing but lines crosses the link, except the agent's credit when the ring
 * seems full.
 * <p>
 * Line: word 0 sequence 32 | epoch 16 | mark 8 | kind 8; words 1 to 6 the message; word 7 digest.
 */
public final class MessageSender {
    static final int KIND = 0x4d;

    private final Window out;
    private final Window in;
    private final long base;
    private final int entries;
    private final long creditOffset;
    private final long stamp;
    private final int epoch;
    private final long[] whole = new long[Lines.WORDS];
    private int sent;
    private int credit;

    /**
     * An end on a zeroed ring.
     *
     * @param out for the lines
     * @param in for the agent's credit
     * @param base of the ring, of {@code entries} lines (a power of two)
     */
    public MessageSender(Window out, Window in, long base, int entries, long creditOffset, int epoch) {
        this.out = out;
        this.in = in;
        this.base = base;
        this.entries = entries;
        this.creditOffset = creditOffset;
        this.epoch = epoch;
        stamp = (epoch & 0xffffL) << 16 | KIND;
    }

    /** Writes one message with a zero mark; visible after the window's fence. False if the ring is full. */
    public boolean send(long[] words) {
        return send(words, 0);
    }

    /** Writes one message and eight bits of the sender's choice, {@code mark}; else as {@link #send(long[])}. */
    public boolean send(long[] words, int mark) {
        if (sent - credit >= entries && !refreshCredit()) {
            return false;
        }
        long line = base + (long) (sent & entries - 1) * Window.LINE_BYTES;
        sent++;
        long first = (long) sent << 32 | stamp | (mark & 0xffL) << 8;
        Lines.fill(whole, first, words, line);
        out.storeLine(line, whole, 0);
        return true;
    }

    /** The other side is not trusted: a credit of another epoch, or one that cannot be, is ignored. */
    private boolean refreshCredit() {
        in.invalidateLine(creditOffset);
        long word = in.loadAcquire(creditOffset);
        int seen = (int) word;
        if (word >>> 32 == epoch && seen - credit > 0 && sent - seen >= 0) {
            credit = seen;
        }
        return sent - credit < entries;
    }

    /** Messages sent so far. */
    public int sent() {
        return sent;
    }
}
