package dev.bascule.memory;

/**
 * Memory for stress tests: parts of shared mappings, made as production makes them. A part is 64-byte aligned and zero; a
 * mapping goes when no test has a part of it any more.
 */
public final class Shared {
    private static final long CHUNK_BYTES = 4 << 20;
    private static PinnedMemory chunk = map();
    private static long used;

    private Shared() {}

    private static PinnedMemory map() {
        SharedMemory memory = SharedMemory.create("bascule-stress", CHUNK_BYTES);
        memory.fd().close(); // the mapping stays
        return memory.pinned();
    }

    /** A part of so many bytes, at most four megabytes. Any thread. */
    public static synchronized PinnedMemory part(long sizeBytes) {
        if (used + sizeBytes > CHUNK_BYTES) {
            chunk = map();
            used = 0;
        }
        PinnedMemory part = chunk.slice(used, sizeBytes);
        used += sizeBytes + Window.LINE_BYTES - 1 & -Window.LINE_BYTES;
        return part;
    }
}
