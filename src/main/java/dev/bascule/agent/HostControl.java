package dev.bascule.agent;

import dev.bascule.memory.Window;

/**
 * The one word by which a host steers an agent: epoch 16 | stop 16 | resync generation 32, in the first word of a line.
 * Host and agent each have their own object on their own window.
 */
public final class HostControl {
    private static final int LAST_EPOCH = 0xffff;
    private static final int LAST_TO_START_WITH = 0x8000;

    private final Window window;
    private final long offset;

    /** The control word at {@code offset} of {@code window}. */
    public HostControl(Window window, long offset) {
        this.window = window;
        this.offset = offset;
    }

    /** Host: publishes the word. */
    public void write(int epoch, boolean stop, int generation) {
        window.storeRelease(offset, (long) epoch << 48 | (stop ? 1L << 32 : 0) | (generation & 0xffff_ffffL));
        window.writeFence();
    }

    /**
     * Host: checks the epoch it is about to open. If none is left, agents that are still attached are told to stop.
     *
     * @throws EpochsUsedException if it is beyond the last
     */
    public void require(int wanted) {
        requireAtMost(LAST_EPOCH, wanted);
    }

    /**
     * Host: the same check for the first epoch on a region that a former host left. Half of the epochs must be unused,
     * so that a number an agent wrote cannot end this host at its first fence.
     */
    public void requireStart(int wanted) {
        requireAtMost(LAST_TO_START_WITH, wanted);
    }

    private void requireAtMost(int last, int wanted) {
        if (wanted > last) {
            write(wanted - 1, true, 0);
            throw new EpochsUsedException(wanted);
        }
    }

    private long word() {
        window.invalidateLine(offset);
        return window.loadAcquire(offset);
    }

    /** The current epoch. */
    public int epoch() {
        return (int) (word() >>> 48);
    }

    /** The epoch in the control word at {@code offset}. */
    public static int epoch(Window window, long offset) {
        window.invalidateLine(offset);
        return (int) (window.loadAcquire(offset) >>> 48);
    }

    /** Whether an agent of {@code epoch} must stop: another epoch is open, or the host closes. */
    public boolean isOver(int epoch) {
        return word() >>> 32 != (long) epoch << 16;
    }

    /** Rises whenever agents must read the status words. */
    public int generation() {
        return (int) word();
    }
}
