package dev.bascule.loopback;

import dev.bascule.memory.Window;

/**
 * A window whose stores meet the faults of a plan. A <em>message</em> is a run of stores to one line; it is decided when
 * another line is stored to, at a fence, or when its line is loaded. Messages held back by a delay, a reordering or a
 * duplication leave during later calls on this window, a reordered one after a millisecond at the latest.
 * <p>
 * Used only when a plan is given. Belongs to one thread; allocates nothing.
 */
public final class FaultyWindow extends Window {
    private static final int WORDS = 8;
    private static final int HELD = 32;
    private static final long REORDER_AT_MOST_NANOS = 1_000_000;

    private final Window target;
    private final FaultInjector injector;
    private final long[] staged = new long[WORDS];
    private long stagedLine = -1;
    private int stagedMask;
    private final long[] heldWords = new long[HELD * WORDS];
    private final long[] heldLine = new long[HELD];
    private final int[] heldMask = new int[HELD];
    private final long[] heldDueMessage = new long[HELD];
    private final long[] heldDueNanos = new long[HELD];
    private int held;
    private long messages;
    private boolean removed;
    private boolean dead;

    /**
     * @param target where stores go
     * @param injector decides about each message, by the offset of its line
     */
    public FaultyWindow(Window target, FaultInjector injector) {
        super(target.sizeBytes(), target.type());
        this.target = target;
        this.injector = injector;
    }

    @Override
    public long loadAcquire(long offset) {
        if (offset >>> 6 == stagedLine) {
            decide();
        }
        releaseDue();
        return removed ? -1L : target.loadAcquire(offset);
    }

    @Override
    public void storeRelease(long offset, long value) {
        WordAccess.check(offset, sizeBytes());
        if (offset >>> 6 != stagedLine) {
            decide();
            stagedLine = offset >>> 6;
        }
        int word = (int) (offset >>> 3) & 7;
        staged[word] = value;
        stagedMask |= 1 << word;
    }

    @Override
    public void writeFence() {
        decide();
        releaseDue();
        target.writeFence();
    }

    @Override
    public boolean hasAtomics() {
        return target.hasAtomics();
    }

    /** Answered, so none of the plan's faults but a removed or dead side concerns it; messages before it are decided. */
    @Override
    public long compareAndSwap(long offset, long expected, long next) {
        decide();
        releaseDue();
        return removed || dead ? -1L : target.compareAndSwap(offset, expected, next);
    }

    @Override
    public void invalidateLine(long offset) {
        target.invalidateLine(offset);
    }

    @Override
    public void prefetchLine(long offset) {
        target.prefetchLine(offset);
    }

    @Override
    public boolean arrived(long offset) {
        return target.arrived(offset);
    }

    private void decide() {
        if (stagedLine < 0) {
            return;
        }
        long line = stagedLine;
        int mask = stagedMask;
        stagedLine = -1;
        stagedMask = 0;
        messages++;
        FaultRule fault = injector.next(line << 6);
        if (fault == null || removed || dead) {
            forward(line, mask, staged, 0);
        } else {
            strike(fault, line, mask);
        }
        releaseDue();
    }

    private void strike(FaultRule fault, long line, int mask) {
        long distance = Math.max(1, fault.amount());
        switch (fault.kind()) {
            case DROP -> {
            }
            case DELAY -> hold(line, mask, Long.MAX_VALUE, System.nanoTime() + fault.amount());
            case REORDER -> hold(line, mask, messages + distance, System.nanoTime() + REORDER_AT_MOST_NANOS);
            case DUPLICATE -> {
                forward(line, mask, staged, 0);
                hold(line, mask, messages + distance, System.nanoTime() + REORDER_AT_MOST_NANOS);
            }
            case TEAR -> forward(line, someOf(mask), staged, 0);
            case CORRUPT -> {
                staged[wordOf(mask)] ^= 1L << injector.detail(Long.SIZE);
                forward(line, mask, staged, 0);
            }
            case REMOVE -> removed = true;
            case DEAD -> dead = true;
        }
    }

    /** Some pieces of a mask, never all of them. */
    private int someOf(int mask) {
        int part = mask & injector.detail(256);
        return part == mask ? mask & mask - 1 : part;
    }

    private int wordOf(int mask) {
        int rest = mask;
        for (int skip = injector.detail(Integer.bitCount(mask)); skip > 0; skip--) {
            rest &= rest - 1;
        }
        return Integer.numberOfTrailingZeros(rest);
    }

    private void hold(long line, int mask, long dueMessage, long dueNanos) {
        if (held == HELD) {
            release(0);
        }
        System.arraycopy(staged, 0, heldWords, held * WORDS, WORDS);
        heldLine[held] = line;
        heldMask[held] = mask;
        heldDueMessage[held] = dueMessage;
        heldDueNanos[held] = dueNanos;
        held++;
    }

    private void releaseDue() {
        for (int i = 0; i < held;) {
            if (messages >= heldDueMessage[i] || System.nanoTime() - heldDueNanos[i] >= 0) {
                release(i);
            } else {
                i++;
            }
        }
    }

    private void release(int index) {
        forward(heldLine[index], heldMask[index], heldWords, index * WORDS);
        target.writeFence();
        held--;
        for (int i = index; i < held; i++) {
            System.arraycopy(heldWords, (i + 1) * WORDS, heldWords, i * WORDS, WORDS);
            heldLine[i] = heldLine[i + 1];
            heldMask[i] = heldMask[i + 1];
            heldDueMessage[i] = heldDueMessage[i + 1];
            heldDueNanos[i] = heldDueNanos[i + 1];
        }
    }

    private void forward(long line, int mask, long[] words, int from) {
        if (removed || dead) {
            return;
        }
        for (int word = 0; word < WORDS; word++) {
            if ((mask & 1 << word) != 0) {
                target.storeRelease((line << 6) + (word << 3), words[from + word]);
            }
        }
    }
}
