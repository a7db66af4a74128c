package dev.bascule.ring;

import dev.bascule.memory.PinnedMemory;

/**
 * The fields of one end of a ring, with two lines of padding on either side: the two ends of a ring in one process are
 * often allocated side by side, and a shared line would then cost a transfer per message. Superclass fields are laid
 * out first, hence three classes, and no fields in the ends themselves.
 */
@SuppressWarnings("unused")
abstract class RingEnd extends RingEndFields {
    long b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15;

    RingEnd(PinnedMemory memory, int capacity, long first) {
        super(memory, capacity, first);
    }
}

@SuppressWarnings("unused")
abstract class RingEndPadding {
    int gap; // else a field of the subclass would be put here, in front of the padding
    long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15;
}

abstract class RingEndFields extends RingEndPadding {
    final long mask;

    /** Address of slot 0. */
    final long slots;

    /** Number of the next message: to write (producer), to consume (consumer). */
    long position;

    /** Known credit: number of the first message that may not be written (producer), or handed back (consumer). */
    long credit;

    /** Messages written by the form that counts and not committed (producer). */
    int open;

    /** Number of the first message that was not found yet (consumer). */
    long found;

    /** Refused words of the other end. */
    long faults;

    /** Keeps the memory mapped, and tells in slow paths whether its owner has closed it. */
    final PinnedMemory memory;

    RingEndFields(PinnedMemory memory, int capacity, long first) {
        this.memory = memory;
        this.position = first;
        this.mask = capacity - 1L;
        this.slots = memory.address() + SlotRing.SLOTS_OFFSET;
    }

    /** Address of the slot of {@code message}: within the memory for any argument. */
    final long slot(long message) {
        return slots + ((message & mask) << SlotRing.SLOT_SHIFT);
    }

    /** Address of the shared credit. */
    final long creditWord() {
        return slots - (SlotRing.SLOTS_OFFSET - SlotRing.CREDIT_OFFSET);
    }
}
