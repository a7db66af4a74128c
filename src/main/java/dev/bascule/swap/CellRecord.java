package dev.bascule.swap;

import dev.bascule.memory.Window;

/**
 * Record that survives the host process: two record slots and one commit word, in three lines that only the host
 * touches. A change fills the slot not in use and then stores the commit word: one 8-byte release store, before which
 * the old state holds and after which the new one does. There is nothing to replay.
 * <p>
 * A mirror of the commit word, stored after it and before the agent learns anything, decides when the word itself
 * is damaged: whatever the agent may know is in the mirror.
 * <p>
 * Thread rule: whoever holds the cell's claim. Allocation-free except {@link #over}.
 */
final class CellRecord {
    /** Lines of one record. */
    public static final int LINES = 3;
    /** Bytes of one record. */
    public static final int SIZE_BYTES = LINES * Window.LINE_BYTES;

    /** Commit word and slot were whole. */
    static final int CLEAN = 0;
    /** The commit word was damaged, its mirror decided. */
    static final int FROM_MIRROR = 1;
    /** Both words were damaged; the newer slot gives a lower bound of the epoch, its tokens are a guess. */
    static final int FROM_SLOT = 2;
    /** The tokens are lost; ask the kernel's tables. The epoch is a lower bound, 0 if that is lost too. */
    static final int LOST = 3;

    private static final int COMMIT = 0;
    private static final int MIRROR = 1;
    private static final int TOKENS = 1;
    private static final int DIGEST = 7;

    private final Line[] slots;
    private final Line word;
    private final long[] scratch = new long[Line.WORDS];
    private int active;
    private long expected;

    CellRecord(Line slot0, Line slot1, Line word) {
        this.slots = new Line[] { slot0, slot1 };
        this.word = word;
    }

    /** The record at a 64-byte aligned offset of memory that survives the host process. */
    static CellRecord over(Window window, long offset) {
        return new CellRecord(new WindowLine(window, offset), new WindowLine(window, offset + Window.LINE_BYTES),
                new WindowLine(window, offset + 2L * Window.LINE_BYTES));
    }

    /** Writes the state into a fresh record. */
    void format(HostState s) {
        active = 1;
        prepare(s);
        commit(s);
    }

    /** Fills the slot not in use. Without the commit that follows it has no effect. */
    void prepare(HostState s) {
        int slot = active ^ 1;
        scratch[0] = SwapLine.head(s.epoch, s.last) & SwapLine.CONTENT | (long) s.heldCount << 48;
        for (int i = 0; i < HostState.CAPACITY; i++) {
            scratch[TOKENS + i] = i < s.heldCount ? s.held[i] : 0;
        }
        scratch[DIGEST] = SwapLine.digest(scratch, SwapLine.place(s.cell, 2 + slot));
        slots[slot].store(scratch, 0);
    }

    /** The linearization point, and its mirror. */
    void commit(HostState s) {
        active ^= 1;
        expected = CommitWord.of(s.epoch, s.last, active);
        word.set(COMMIT, expected);
        word.set(MIRROR, expected);
    }

    /** Whether the commit word is what this process stored last. */
    boolean undamaged() {
        return word.get(COMMIT) == expected;
    }

    /** Loads epoch, L and tokens into {@code s} and goes on from there; returns how sure that is. */
    int load(HostState s) {
        long commit = word.get(COMMIT);
        long mirror = word.get(MIRROR);
        long decided = CommitWord.intact(commit) ? commit : mirror;
        if (CommitWord.intact(decided)) {
            active = CommitWord.slot(decided);
            expected = decided;
            s.epoch = CommitWord.epoch(decided);
            s.last = CommitWord.n(decided);
            s.n = s.last;
            boolean whole = loadSlot(s, active) && SwapLine.epochOf(scratch[0]) == s.epoch
                    && SwapLine.numberOf(scratch[0]) == s.last;
            if (!whole) {
                s.heldCount = 0;
            }
            return !whole ? LOST : decided == commit ? CLEAN : FROM_MIRROR;
        }
        return loadNewerSlot(s);
    }

    /** The last epoch that the record names, one more where that is in doubt; 0 if it names none. */
    int lastEpoch(int cell) {
        HostState found = new HostState(cell);
        int how = load(found);
        return found.epoch + (how >= FROM_SLOT ? 1 : 0);
    }

    private int loadNewerSlot(HostState s) {
        long first = loadSlot(s, 0) ? scratch[0] & SwapLine.CONTENT : -1;
        long second = loadSlot(s, 1) ? scratch[0] & SwapLine.CONTENT : -1;
        long newest = Math.max(first, second);
        s.epoch = newest < 0 ? 0 : SwapLine.epochOf(newest);
        s.last = newest < 0 ? 0 : SwapLine.numberOf(newest);
        s.n = s.last;
        active = second > first ? 1 : 0;
        if (newest < 0) {
            s.heldCount = 0;
            return LOST;
        }
        loadSlot(s, active);
        return FROM_SLOT;
    }

    private boolean loadSlot(HostState s, int slot) {
        slots[slot].load(scratch, 0);
        int count = (int) (scratch[0] >>> 48);
        if (scratch[DIGEST] != SwapLine.digest(scratch, SwapLine.place(s.cell, 2 + slot))
                || count > HostState.CAPACITY) {
            return false;
        }
        s.heldCount = count;
        System.arraycopy(scratch, TOKENS, s.held, 0, HostState.CAPACITY);
        return true;
    }
}
