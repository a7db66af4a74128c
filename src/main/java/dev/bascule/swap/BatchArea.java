package dev.bascule.swap;

import dev.bascule.agent.Lines;
import dev.bascule.memory.Window;
import java.util.Arrays;

/**
 * Many words beside a cell's lines, with a single writer: the decisions that an agent promises, or what a host offers.
 * The words carry no tags; their digest, bound to the swap, travels in the line that announces them, and a reader
 * checks it on its own copy.
 */
final class BatchArea {
    /** Written by the agent, announced by its line; roles below are those of lines and records. */
    private static final int PROMISED = 4;
    /** Written by the host. */
    private static final int OFFERED = 5;

    private final int role;
    private final Line[] lines;

    BatchArea(Line... lines) {
        this(PROMISED, lines);
    }

    private BatchArea(int role, Line... lines) {
        this.role = role;
        this.lines = lines.clone();
    }

    /** Words that go with the host's line. */
    static BatchArea offered(Line... lines) {
        return new BatchArea(OFFERED, lines);
    }

    /** The lines behind a CPU's agent line in an epoch. */
    static BatchArea over(Window window, SwapLayout layout, boolean push, int epoch, int cpu) {
        Line[] decisions = new Line[layout.batch()];
        Arrays.setAll(decisions, i -> new WindowLine(window, layout.decision(push, epoch, cpu, i)));
        return new BatchArea(decisions);
    }

    /** Words there is room for. */
    int capacity() {
        return lines.length * Line.WORDS;
    }

    /** Stores {@code count} words, fences, and returns their digest for this swap. */
    long store(long[] words, int count, int cell, int epoch, long n) {
        int whole = count / Line.WORDS;
        for (int i = 0; i < whole; i++) {
            lines[i].store(words, i * Line.WORDS);
        }
        for (int i = whole * Line.WORDS; i < count; i++) {
            lines[whole].set(i % Line.WORDS, words[i]);
        }
        if (count > 0) {
            lines[0].flush();
        }
        return digest(words, count, cell, epoch, n);
    }

    /** Starts fetching the first lines. */
    void prefetch(int count) {
        for (int i = 0; i < count; i++) {
            lines[i].prefetch();
        }
    }

    /** Drops the line that {@link #prefetch} fetched too early. */
    void forget() {
        boolean unused = lines[0].refresh();
    }

    /** Copies {@code count} words; returns whether they are the ones announced. */
    boolean load(long[] words, int count, int cell, int epoch, long n, long digest) {
        for (int i = 0; i * Line.WORDS < count; i++) {
            if (!lines[i].refresh()) {
                return false;
            }
        }
        copy(words, count);
        return digest(words, count, cell, epoch, n) == digest;
    }

    /** Copies {@code count} words of memory that has this side as its only writer. */
    void copy(long[] words, int count) {
        int whole = count / Line.WORDS;
        for (int i = 0; i < whole; i++) {
            lines[i].load(words, i * Line.WORDS);
        }
        for (int i = whole * Line.WORDS; i < count; i++) {
            words[i] = lines[whole].get(i % Line.WORDS);
        }
    }

    private long digest(long[] words, int count, int cell, int epoch, long n) {
        long stamp = SwapLine.place(cell, role) ^ SwapLine.head(epoch, n);
        return Lines.digest(words, 0, count, stamp) & SwapLine.CONTENT;
    }
}
