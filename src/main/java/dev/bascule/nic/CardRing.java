package dev.bascule.nic;

/**
 * A ring of descriptors, in a card's own form, of one direction of a {@link RingCard}: the driver names buffers to
 * the card, the card gives them back filled or sent. A frame is one slot and one buffer. Indices count frames, run
 * freely and wrap; the caller keeps them, reads what the card wrote once, and checks it.
 * <p>
 * Thread rule: one thread, that of its queue; {@link #clear} while there is no traffic.
 */
public interface CardRing {
    /** Memory of the ring, and of nothing else; closed with the port. The same object at every call. */
    RingMemory memory();

    /** Frames that it holds, a power of two. */
    int slots();

    /** Makes it empty and as after power-on; the card is stopped, and the next index is 0. */
    default void clear() {
        memory().segment().fill((byte) 0);
    }

    /**
     * Names a buffer to the card; there is room. The card sees it after {@link #tell}.
     *
     * @param index of the frame, one more at each call
     * @param iova where the card finds its first byte
     * @param lengthBytes bytes to send, or that may be filled
     * @return slot, 0 to {@link #slots} - 1, by which the card gives the buffer back
     */
    int give(int index, long iova, int lengthBytes);

    /**
     * Tells the card about all that was given; there is something.
     *
     * @param tail index behind the last frame given
     * @return whether that took a doorbell
     */
    boolean tell(int tail);

    /**
     * How many frames the card is done with. Acquire: what the card wrote before is seen.
     *
     * @param head index of the oldest frame not taken
     * @param tail index behind the last frame given
     */
    int done(int head, int tail);

    /** Slot that the card gives back as number {@code head}; any number, the card may have written it. */
    default int slot(int head) {
        return head & slots() - 1;
    }

    /**
     * Bytes the card says it moved for number {@code head}, without a header of the card's; 0 or less if it could
     * not. A ring for sending of a card that tells no length says 1.
     */
    int lengthBytes(int head);

    /**
     * When the card moved number {@code head}, ns since the epoch of its clock; {@link PacketBatch#NO_TIMESTAMP} if
     * it does not say.
     */
    default long timestampNanos(int head) {
        return PacketBatch.NO_TIMESTAMP;
    }

    /** Goes past a slot, which has been checked. */
    default void take(int slot) {}

    /**
     * Asks for an interrupt as soon as the card is done with number {@code head}. The caller looks at {@link #done}
     * again before it sleeps.
     */
    void arm(int head);

    /** Asks to be left alone again. */
    default void disarm() {}
}
