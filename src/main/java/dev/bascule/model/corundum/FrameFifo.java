package dev.bascule.model.corundum;

import java.lang.foreign.MemorySegment;

/** Whole frames in order, in one array, so that each can be moved by DMA from where it lies. */
final class FrameFifo {
    private final int capacityBytes;
    private final byte[] data;
    private final MemorySegment segment;
    private final int[] offsets;
    private final int[] lengths;
    private final long[] tags;
    private final int entryMask;
    private int head;
    private int tail;
    private int writeOffset;
    private int usedBytes;

    /**
     * @param capacityBytes how many bytes it holds, a power of two; each frame takes a multiple of 8
     * @param longestBytes the longest frame ever offered
     */
    FrameFifo(int capacityBytes, int longestBytes) {
        this.capacityBytes = capacityBytes;
        data = new byte[capacityBytes + round(longestBytes)];
        segment = MemorySegment.ofArray(data);
        int entries = Math.max(1, capacityBytes >> 3);
        offsets = new int[entries];
        lengths = new int[entries];
        tags = new long[entries];
        entryMask = entries - 1;
    }

    private static int round(int lengthBytes) {
        return Math.max(8, lengthBytes + 7 & ~7);
    }

    boolean isEmpty() {
        return head == tail;
    }

    boolean hasRoom(int lengthBytes) {
        return usedBytes + round(lengthBytes) <= capacityBytes;
    }

    /** Copies a frame in; false, and nothing done, if it does not fit as a whole. */
    boolean add(byte[] from, int offset, int lengthBytes, long tag) {
        int rounded = round(lengthBytes);
        if (usedBytes + rounded > capacityBytes) {
            return false;
        }
        if (writeOffset + rounded > data.length) {
            writeOffset = 0;
        }
        System.arraycopy(from, offset, data, writeOffset, lengthBytes);
        int entry = tail++ & entryMask;
        offsets[entry] = writeOffset;
        lengths[entry] = lengthBytes;
        tags[entry] = tag;
        writeOffset += rounded;
        usedBytes += rounded;
        return true;
    }

    byte[] data() {
        return data;
    }

    MemorySegment segment() {
        return segment;
    }

    int headOffset() {
        return offsets[head & entryMask];
    }

    int headLength() {
        return lengths[head & entryMask];
    }

    long headTag() {
        return tags[head & entryMask];
    }

    void removeHead() {
        usedBytes -= round(lengths[head & entryMask]);
        head++;
    }

    void clear() {
        head = tail;
        usedBytes = 0;
        writeOffset = 0;
    }
}
