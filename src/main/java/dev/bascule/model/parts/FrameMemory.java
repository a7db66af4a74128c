package dev.bascule.model.parts;

import java.lang.foreign.MemorySegment;

/**
 * Memory that a card reads a frame to send into: a few kilobytes, written and read round and round, so that of a longer
 * frame later bytes lie over earlier ones [RTL].
 */
public final class FrameMemory {
    private final int mask;
    private final byte[] data;
    private final MemorySegment segment;

    /**
     * Makes it.
     *
     * @param memoryBytes its size, a power of two
     * @param longestBytes longest frame that is ever read into it
     */
    public FrameMemory(int memoryBytes, int longestBytes) {
        mask = memoryBytes - 1;
        data = new byte[longestBytes];
        segment = MemorySegment.ofArray(data);
    }

    /** Bytes of the frame. */
    public byte[] data() {
        return data;
    }

    /** Bytes of the frame, for DMA. */
    public MemorySegment segment() {
        return segment;
    }

    /** Makes the frame that was read what leaves the memory. */
    public void wrap(int lengthBytes) {
        for (int at = mask + 1; at < lengthBytes; at++) {
            data[at & mask] = data[at];
        }
        for (int at = mask + 1; at < lengthBytes; at++) {
            data[at] = data[at & mask];
        }
    }
}
