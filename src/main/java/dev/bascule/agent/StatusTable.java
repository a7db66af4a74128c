package dev.bascule.agent;

import dev.bascule.memory.Window;

/**
 * The enclave's status words in shared memory: written by the host, read by agents. One line a task and one a CPU; where
 * there are more than 64 CPUs, behind them for each task the rest of its affinity, whole lines, each word by itself.
 * <p>
 * Thread rule: one writer; readers open their own table on their own window. A reader sees either a line as one write
 * left it or is told to try again: the last word is a digest of the others, for a mirror or a DMA engine may carry a
 * line's words in any order.
 */
public final class StatusTable {
    private final Window window;
    private final long base;
    private final int words;
    private final long masks;
    private final long maskBytes;
    private final long[] whole = new long[Lines.WORDS];

    /** The table of an enclave, from {@code base} in {@code window}. */
    public StatusTable(Window window, long base, EnclaveShape shape) {
        int words = shape.tasks() + shape.cpus();
        if (base < 0 || base + sizeBytes(shape) > window.sizeBytes()) {
            throw new AgentException("open status words: " + words + " words at offset " + base
                    + " do not fit a window of " + window.sizeBytes() + " bytes");
        }
        this.window = window;
        this.base = base;
        this.words = words;
        masks = base + (long) words * Window.LINE_BYTES;
        maskBytes = maskBytes(shape);
    }

    /** Bytes of a table: a line for every task, one for every CPU, and masks of more than 64 CPUs. */
    public static long sizeBytes(EnclaveShape shape) {
        return (long) (shape.tasks() + shape.cpus()) * Window.LINE_BYTES + shape.tasks() * maskBytes(shape);
    }

    private static long maskBytes(EnclaveShape shape) {
        return (shape.maskWords() - 1L) * Long.BYTES + Window.LINE_BYTES - 1 & -Window.LINE_BYTES;
    }

    private long mask(int task, int word) {
        return masks + task * maskBytes + (word - 1L) * Long.BYTES;
    }

    /** Publishes a word of a task's affinity, from word 1 (CPU 64) on. */
    void writeAffinity(int task, int word, long mask) {
        window.storeRelease(mask(task, word), mask);
    }

    /** The word of a task's affinity for CPUs 64 * {@code word} and up, from word 1 on. */
    long affinity(int task, int word) {
        long offset = mask(task, word);
        window.invalidateLine(offset);
        return window.loadAcquire(offset);
    }

    /** Number of status words. */
    int words() {
        return words;
    }

    /** Publishes, visibly for others after the window's fence. */
    public void write(StatusWord word) {
        long line = base + (long) word.task * Window.LINE_BYTES;
        whole[0] = first(word);
        whole[1] = word.task | (long) word.agent << 32;
        whole[2] = word.switchNanos;
        whole[3] = word.runtimeNanos;
        whole[4] = word.affinity;
        whole[5] = (word.nice & 0xffL) | (word.taskClass & 0xffL) << 8 | (word.cpu & 0xffffL) << 16
                | word.expectedNanos << 32;
        whole[6] = word.deadlineNanos;
        whole[7] = Lines.digest(whole, line);
        window.storeLine(line, whole, 0);
    }

    private static long first(StatusWord word) {
        return (word.barrier & 0xffff_ffffL) | (long) word.flags << 32;
    }

    /**
     * Reads the status word of {@code task}.
     *
     * @return false if it changed meanwhile or holds bytes no host wrote; try again, or give up after some rounds
     */
    public boolean read(int task, StatusWord into) {
        long line = base + (long) task * Window.LINE_BYTES;
        window.invalidateLine(line);
        long first = window.loadAcquire(line);
        long whose = window.loadAcquire(line + 8);
        long switched = window.loadAcquire(line + 16);
        long ran = window.loadAcquire(line + 24);
        long affinity = window.loadAcquire(line + 32);
        long small = window.loadAcquire(line + 40);
        long deadline = window.loadAcquire(line + 48);
        into.task = task;
        into.agent = (int) (whose >>> 32);
        into.barrier = (int) first & 0xfff_ffff;
        into.flags = (int) (first >>> 32) & StatusWord.FLAGS;
        into.switchNanos = switched;
        into.runtimeNanos = ran;
        into.affinity = affinity;
        into.nice = (byte) small;
        into.taskClass = (int) (small >>> 8) & 0xff;
        into.cpu = (int) (small >>> 16) & 0xffff;
        into.expectedNanos = small >>> 32;
        into.deadlineNanos = deadline;
        return first == 0
                || (int) whose == task && window.loadAcquire(line + 56) == Lines.digest(first, whose, switched,
                        ran, affinity, small, deadline, line);
    }
}
