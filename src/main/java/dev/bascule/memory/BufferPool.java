package dev.bascule.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Buffers of one size cut from one memory, handed out last in first out, so that warm ones come back first. A buffer is
 * an index; nothing is allocated after construction. Belongs to one thread.
 * <p>
 * With {@code -Dbascule.debug=true} ownership is checked: giving back twice, using a free buffer's segment and
 * writing to a buffer after giving it back (found when it is taken again) are {@link IllegalStateException}s. A foreign
 * index is always an {@link IndexOutOfBoundsException}.
 */
public final class BufferPool {
    /** Answer of {@link #take} when all are in use. */
    public static final int NONE = -1;

    private static final boolean DEBUG = Boolean.getBoolean("bascule.debug");
    private static final byte POISON = (byte) 0xdb;

    private final MemorySegment[] buffers;
    private final int[] free;
    private final int bufferBytes;
    private final boolean debug;
    private final boolean[] taken;
    private int freeCount;

    /** As many buffers as {@code memory} holds; {@code bufferBytes} is a multiple of 64. */
    public BufferPool(MemorySegment memory, int bufferBytes) {
        this(memory, bufferBytes, DEBUG);
    }

    BufferPool(MemorySegment memory, int bufferBytes, boolean debug) {
        if (bufferBytes <= 0 || bufferBytes % Window.LINE_BYTES != 0 || memory.byteSize() < bufferBytes
                || memory.byteSize() / bufferBytes > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(
                    "buffers of " + bufferBytes + " bytes from a memory of " + memory.byteSize());
        }
        int count = (int) (memory.byteSize() / bufferBytes);
        this.bufferBytes = bufferBytes;
        this.debug = debug;
        this.buffers = new MemorySegment[count];
        this.free = new int[count];
        this.taken = new boolean[debug ? count : 0];
        for (int i = 0; i < count; i++) {
            buffers[i] = memory.asSlice((long) i * bufferBytes, bufferBytes);
            free[i] = count - 1 - i; // index 0 is taken first
            if (debug) {
                buffers[i].fill(POISON);
            }
        }
        freeCount = count;
    }

    /** Takes a buffer; {@link #NONE} if all are in use. Its content is undefined. */
    public int take() {
        if (freeCount == 0) {
            return NONE;
        }
        int index = free[--freeCount];
        if (debug) {
            checkUntouched(index);
            taken[index] = true;
        }
        return index;
    }

    /** Takes up to {@code count} buffers into {@code indices}. Returns how many. */
    public int take(int[] indices, int count) {
        int got = Math.min(Math.min(count, indices.length), freeCount);
        for (int i = 0; i < got; i++) {
            indices[i] = take();
        }
        return got;
    }

    /**
     * Takes exactly {@code count} buffers, which must be {@link #available}, into {@code into} from {@code from} on. The
     * next one of the pool comes last, so that giving the same array back leaves the pool as it was.
     */
    public void take(int[] into, int from, int count) {
        java.util.Objects.checkIndex(count, freeCount + 1);
        if (debug) {
            for (int i = 0; i < count; i++) {
                into[from + count - 1 - i] = take();
            }
            return;
        }
        freeCount -= count;
        System.arraycopy(free, freeCount, into, from, count);
    }

    /** Gives back the buffers whose indices are {@code indices[from + i] & mask}, in this order; {@code mask} has no sign. */
    public void give(int[] indices, int from, int count, int mask) {
        int top = freeCount;
        if (debug || top + count > free.length) { // one by one, with all checks
            for (int i = 0; i < count; i++) {
                give(indices[from + i] & mask);
            }
            return;
        }
        int[] stack = free;
        int highest = 0;
        for (int i = 0; i < count; i++) { // without a branch, for the compiler to use vectors
            int index = indices[from + i] & mask;
            stack[top + i] = index;
            highest = Math.max(highest, index);
        }
        java.util.Objects.checkIndex(highest, buffers.length);
        freeCount = top + count;
    }

    /** Gives a buffer back. */
    public void give(int index) {
        if (index < 0 || index >= buffers.length) {
            throw new IndexOutOfBoundsException("buffer " + index + " of a pool of " + buffers.length);
        }
        if (debug) {
            if (!taken[index]) {
                throw new IllegalStateException("buffer " + index + " given back twice");
            }
            taken[index] = false;
            buffers[index].fill(POISON);
        }
        if (freeCount == free.length) {
            throw new IllegalStateException("buffer " + index + " given back to a full pool");
        }
        free[freeCount++] = index;
    }

    /** The buffer's memory, always the same object. */
    public MemorySegment segment(int index) {
        if (debug && !taken[index]) {
            throw new IllegalStateException("buffer " + index + " used while it is free");
        }
        return buffers[index];
    }

    /** The buffer's distance from the start of the memory, in bytes: what to add to the memory's IOVA. */
    public long offset(int index) {
        return (long) index * bufferBytes;
    }

    /** The buffer at a distance from the start of the memory, for addresses that come back from the device. */
    public int indexOf(long offset) {
        if (offset < 0 || offset / bufferBytes >= buffers.length) {
            throw new IndexOutOfBoundsException("offset " + offset + " is in none of " + buffers.length + " buffers");
        }
        return (int) (offset / bufferBytes);
    }

    /** Size of every buffer. */
    public int bufferBytes() {
        return bufferBytes;
    }

    /** How many there are. */
    public int capacity() {
        return buffers.length;
    }

    /** How many can be taken now. */
    public int available() {
        return freeCount;
    }

    private void checkUntouched(int index) {
        MemorySegment buffer = buffers[index];
        for (long i = 0; i < bufferBytes; i++) {
            if (buffer.get(ValueLayout.JAVA_BYTE, i) != POISON) {
                throw new IllegalStateException("buffer " + index + " was written at byte " + i + " while it was free");
            }
        }
    }
}
