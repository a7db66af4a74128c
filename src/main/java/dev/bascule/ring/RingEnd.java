package dev.bascule.ring;

import java.lang.foreign.MemorySegment;

/**
 * The fields of one end of a ring, with two lines of padding on either side: the two ends of a ring in one process are
 * often allocated side by side, and a shared line would then cost a transfer per message. Superclass fields are laid
 * out first, hence three classes.
 */
@SuppressWarnings("unused")
abstract class RingEnd extends RingEndFields {
    long b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15;

    RingEnd(MemorySegment memory, int capacity) {
        super(memory, capacity);
    }
}

@SuppressWarnings("unused")
abstract class RingEndPadding {
    long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15;
}

abstract class RingEndFields extends RingEndPadding {
    final MemorySegment memory;

    final long mask;

    /** Number of the next message: to write (producer), to consume (consumer). */
    long position;

    /** Known credit: number of the first message that may not be written (producer), or handed back (consumer). */
    long credit;

    /** Refused words of the other end. */
    long faults;

    RingEndFields(MemorySegment memory, int capacity) {
        this.memory = memory;
        this.mask = capacity - 1L;
    }

    /** Byte offset of the slot of {@code message}. */
    final long offset(long message) {
        return SlotRing.SLOTS_OFFSET + ((message & mask) << SlotRing.SLOT_SHIFT);
    }

    /**
     * The slot of {@code message} as a segment of its own, for use in the same method. One check of bounds instead of
     * one per word: class and length of the slice are constants to the compiler, and the object never exists.
     */
    final MemorySegment slot(long message) {
        return memory.asSlice(offset(message), SlotRing.SLOT_BYTES);
    }
}
