package dev.bascule.agent.memory;

/**
 * The pages that are managed, in batches of up to 64: their access bits and the tier they lie in. Thread rule: the
 * thread of the {@link MemoryHost}.
 */
public interface PageSource {
    /** Reads the access bits of a batch and clears them: bit n for its page n. */
    long takeAccessed(int batch);

    /** Whether there is such a batch now. One that is not is neither scanned nor moved. */
    default boolean isThere(int batch) {
        return true;
    }

    /** Whether a batch's pages are still those of its last scan; a decision about others is stale. */
    default boolean isUnchanged(int batch) {
        return true;
    }

    /** Whether its last scan found no page of it in memory: then a move of it costs nothing. */
    default boolean isEmpty(int batch) {
        return false;
    }

    /**
     * Whether a batch is known to have been accessed since its last scan, without one: some sources are told of all
     * accesses at once. In slow memory it is scanned with the next period then, and does not wait until it is due.
     */
    default boolean isKnownAccessed(int batch) {
        return false;
    }

    /**
     * Moves that follow as {@link #move}, one by one: a source that does many at once at less cost does them now.
     *
     * @param count of the batches, from the first on; one may be there twice
     */
    default void moveSoon(int[] batches, int count, boolean slow) {}

    /** Moves a batch to slow or back to fast memory. Whether it is there now: what holds it in place is counted. */
    boolean move(int batch, boolean slow);

    /** Accesses so far that went to slow memory. */
    long slowAccesses();

    /** Whether {@link #slowAccesses} rises with each access; by access bits it rises with scans only, which the host sees to. */
    default boolean isCounted() {
        return false;
    }

    /** All accesses so far. */
    long accesses();
}
