package dev.bascule.host.tier;

import java.util.NavigableMap;

/** Where access bits of a process's pages come from. Thread rule: one thread. */
sealed interface AccessSource extends AutoCloseable permits PageIdle, SoftDirty, Referenced, Damon {
    /** As {@code --source} names it. */
    String name();

    /** Meaning of a bit, for people. */
    String meaning();

    /** Whether it tells the pages of a mapping apart. */
    boolean isByPage();

    /**
     * A period begins: what was accessed since the last one is read, where that goes for a whole process only.
     *
     * @param batches the process's batches by their first byte
     */
    default void begin(TieredProcess process, NavigableMap<Long, Integer> batches) {}

    /**
     * Tells which pages of a batch were accessed since it was last asked about, and forgets it.
     *
     * @param batch its number
     * @param mapping where it lies
     * @param entries its page-table entries, as pagemap shows them
     * @param present a bit for each page that is in memory
     */
    long take(TieredProcess process, int batch, Mapping mapping, long[] entries, long present);

    /** Whether it knows already that {@link #take} will tell of an access, which costs no look at the process. */
    default boolean knows(TieredProcess process, int batch) {
        return false;
    }

    /** The process has ended or runs another program. */
    default void forget(TieredProcess process) {}

    @Override
    default void close() {}
}
