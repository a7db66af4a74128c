package dev.bascule.bench;

/** What one of the two pinned threads does in a window. */
@FunctionalInterface
interface Side {
    /**
     * Does operations {@code start + 1} to {@code start + count} together with the other side.
     *
     * @return a checksum of the data that moved; both sides must return the same
     */
    long run(long start, long count);
}
