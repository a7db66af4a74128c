package dev.bascule.swap;

/**
 * A word that both ends can read and compare-and-swap: coherent memory, or host memory that a NIC reaches with PCIe
 * AtomicOp CAS. A substrate that has one can offer {@link OneWordSwap} and with it withdrawal.
 */
interface AtomicWord {
    /** Loads with acquire. */
    long get();

    /** Replaces {@code expected} by {@code next} if it is still there; a full fence. */
    boolean compareAndSet(long expected, long next);

    /** Tells the other end again what a link may have lost; nothing where both ends look at the word itself. */
    default void repeat() {}
}
