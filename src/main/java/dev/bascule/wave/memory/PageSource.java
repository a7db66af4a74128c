package dev.bascule.wave.memory;

/**
 * The pages that are managed, in batches of up to 64: their access bits and the tier they lie in. Thread rule: the
 * thread of the {@link MemoryHost}.
 */
public interface PageSource {
    /** Reads the access bits of a batch and clears them: bit n for its page n. */
    long takeAccessed(int batch);

    /** Moves a batch to slow or back to fast memory. */
    void move(int batch, boolean slow);

    /** Accesses so far that went to slow memory. */
    long slowAccesses();

    /** All accesses so far. */
    long accesses();
}
