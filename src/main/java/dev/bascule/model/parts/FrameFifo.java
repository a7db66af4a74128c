package dev.bascule.model.parts;

import java.lang.foreign.MemorySegment;

/** Frame memory: whole frames in order, in one array, so that each can be moved by DMA from where it lies. */
public final class FrameFifo {
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
     * Makes it empty.
     *
     * @param capacityBytes how many bytes it holds, a power of two; each frame takes a multiple of 8
     * @param longestBytes the longest frame ever offered
     */
    public FrameFifo(int capacityBytes, int longestBytes) {
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

    /** Whether no frame is in it. */
    public boolean isEmpty() {
        return head == tail;
    }

    /** Whether a frame of this length fits. */
    public boolean hasRoom(int lengthBytes) {
        return usedBytes + round(lengthBytes) <= capacityBytes;
    }

    /** Copies a frame in; false, and nothing done, if it does not fit as a whole. */
    public boolean add(byte[] from, int offset, int lengthBytes, long tag) {
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

    /** Bytes of all frames. */
    public byte[] data() {
        return data;
    }

    /** Bytes of all frames, for DMA. */
    public MemorySegment segment() {
        return segment;
    }

    /** Place of the first frame. */
    public int headOffset() {
        return offsets[head & entryMask];
    }

    /** Length of the first frame. */
    public int headLength() {
        return lengths[head & entryMask];
    }

    /** Tag that the first frame came with. */
    public long headTag() {
        return tags[head & entryMask];
    }

    /** Takes the first frame out. */
    public void removeHead() {
        usedBytes -= round(lengths[head & entryMask]);
        head++;
    }

    /** Takes all frames out. */
    public void clear() {
        head = tail;
        usedBytes = 0;
        writeOffset = 0;
    }
}
