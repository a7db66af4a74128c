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
    /** Exactly the ring's bytes. */
    final MemorySegment memory;

    final long mask;

    /** Number of the next message: to commit (producer) or to consume (consumer). */
    long position;

    /** Messages written but not committed (producer), peeked but not consumed (consumer). */
    int open;

    /** Known credit: message number that may not be written yet (producer), messages handed back (consumer). */
    long credit;

    /** Refused words of the other end. */
    long faults;

    RingEndFields(MemorySegment memory, int capacity) {
        this.memory = memory;
        this.mask = capacity - 1L;
    }

    final long slotOffset(long message) {
        return SlotRing.SLOTS_OFFSET + ((message & mask) << SlotRing.SLOT_SHIFT);
    }
}
