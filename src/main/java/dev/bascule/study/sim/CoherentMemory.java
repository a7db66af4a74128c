package dev.bascule.study.sim;

/** Memory as the side that it belongs to sees it, through coherent caches. */
interface CoherentMemory {
    int words();

    /** Value of the word at {@code nowNanos}, the other side's writes that have arrived included. */
    long load(long nowNanos, int word);

    void store(long nowNanos, int word, long value);

    /** The line whose first word is {@code word}. */
    void loadLine(long nowNanos, int word, long[] into, int at);

    /** Stores the eight words of a line. */
    void storeLine(long nowNanos, int word, long[] from, int at);

    /**
     * Compare-and-swap by the side that it belongs to; moves the time on to the moment when that has the word.
     *
     * @return what was there
     */
    long compareAndSwap(SimTime time, int word, long expected, long next);
}
