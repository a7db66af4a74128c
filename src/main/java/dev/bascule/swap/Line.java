package dev.bascule.swap;

/**
 * Eight 8-byte words that one side writes and the other reads: a line of shared memory ({@link WindowLine}). Nothing is
 * assumed about the order in which a reader sees the words of one line; the codec tags each word for that reason.
 * <p>
 * Thread rule: one writing thread; one object per reading thread where the memory below asks for it.
 */
interface Line {
    /** Words in a line. */
    int WORDS = 8;

    /** Loads a word; later accesses are not moved before it (acquire). */
    long get(int word);

    /** Stores a word; earlier accesses are not moved after it (release), except by write-combining. */
    void set(int word, long value);

    /** Loads all words, word 0 first. */
    default void load(long[] into, int at) {
        for (int i = 0; i < WORDS; i++) {
            into[at + i] = get(i);
        }
    }

    /** Stores all words, word 0 last (so that a look at it alone finds whole lines on ordered memory). */
    default void store(long[] from, int at) {
        for (int i = WORDS - 1; i >= 0; i--) {
            set(i, from[at + i]);
        }
    }

    /** Makes every earlier store leave before any later one. Partner of the reader's {@link #refresh()}. */
    default void flush() {}

    /**
     * Forgets a cached copy, so that the next {@link #get} sees what the writer's memory holds.
     *
     * @return false if the newest content is known to be still on its way, and looking is pointless
     */
    default boolean refresh() {
        return true;
    }

    /** Whether a part of it is older here than at its writer, see {@link dev.bascule.memory.Window#isBehind}. */
    default boolean isBehind(int writer) {
        return false;
    }

    /** Starts fetching the line, to hide the link's round trip behind other work. */
    default void prefetch() {}
}
