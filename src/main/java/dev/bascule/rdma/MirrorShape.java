package dev.bascule.rdma;

/**
 * Sizes of the parts of a mirrored region, which lie at the same offsets on both sides: head, NIC memory, the shared
 * part of host memory. Behind them lies the rest of host memory, which no side lets the other reach: an agent finds
 * nothing there.
 *
 * @param headBytes of the link's own words: page 0 the bells that the host has heard, from there on a line for each
 *     thread's looks at the peer
 * @param nicBytes NIC memory
 * @param sharedBytes host memory that both sides have
 * @param privateBytes host memory that never leaves the host
 */
record MirrorShape(long headBytes, long nicBytes, long sharedBytes, long privateBytes) {
    /** Bytes of a page. */
    static final long PAGE = 4096;
    static final int LINE = 64;
    private static final long MOST_BYTES = 1L << 36;

    MirrorShape {
        boolean fits = nicBytes >= 0 && sharedBytes >= 0 && privateBytes >= 0 && headBytes >= PAGE
                && headBytes < MOST_BYTES && nicBytes < MOST_BYTES && sharedBytes < MOST_BYTES
                && privateBytes < MOST_BYTES;
        if (!fits || headBytes % PAGE != 0 || nicBytes % PAGE != 0 || sharedBytes % PAGE != 0) {
            throw new IllegalArgumentException("mirrored region of " + headBytes + ", " + nicBytes + ", " + sharedBytes
                    + " and " + privateBytes + " bytes: want whole pages, below 64 GiB");
        }
    }

    /** Of a host with so many threads that look at the peer. */
    static MirrorShape of(long nicBytes, long sharedBytes, long privateBytes, int threads) {
        return new MirrorShape(PAGE + page(threads * (long) LINE), page(nicBytes), page(sharedBytes), privateBytes);
    }

    private static long page(long bytes) {
        return bytes + PAGE - 1 & -PAGE;
    }

    /** Bytes that both sides have. */
    long mirroredBytes() {
        return headBytes + nicBytes + sharedBytes;
    }

    long totalBytes() {
        return mirroredBytes() + privateBytes;
    }

    long nicAt() {
        return headBytes;
    }

    long hostAt() {
        return headBytes + nicBytes;
    }

    int threads() {
        return (int) ((headBytes - PAGE) / LINE);
    }

    long look(int thread) {
        return PAGE + (long) thread * LINE;
    }
}
