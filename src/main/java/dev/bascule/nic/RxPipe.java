package dev.bascule.nic;

import java.lang.foreign.MemorySegment;

/**
 * Received bytes as one stream in a ring that is mapped twice in a row, so that any batch is contiguous. Three positions
 * move forward: what has arrived, what is confirmed (taken by the application), what is freed (given back to the
 * device). Lengths are bytes; positions move in steps of {@link #QUANTUM_BYTES}.
 * <p>
 * On a pipe device the bytes are where the device wrote them; on a packet device they were copied, which {@link
 * PipeGroup#copiedBytes()} counts.
 * <p>
 * Thread rule: the thread of its {@link PipeGroup}. No allocation except {@link #batch}. Errors: a length that is not a
 * multiple of the quantum, or larger than what is there, is an {@link IllegalArgumentException}; a closed pipe has no
 * bytes.
 */
public interface RxPipe {
    /** The step of all positions; packets start at multiples of it. */
    int QUANTUM_BYTES = 64;

    /** The device's number for it. */
    int id();

    /** The ring, twice in a row: byte i and byte i + half are the same. Always the same object. */
    MemorySegment memory();

    /** Most bytes that can lie between freed and arrived: one quantum less than the ring. */
    long capacityBytes();

    /** Asks the device what has arrived; returns how many bytes lie after the confirmed position, 0 when none. */
    long peek();

    /** Where in {@link #memory()} the first byte after the confirmed position is. */
    long offset();

    /** Takes {@code lengthBytes} of what {@link #peek()} showed. */
    void confirm(long lengthBytes);

    /** Gives the oldest {@code lengthBytes} of what is confirmed back to the device. */
    void free(long lengthBytes);

    /** Confirmed bytes not yet freed. */
    long heldBytes();

    /**
     * Asks the device now what has arrived, so that its answer overlaps with other work. Harmless where it does not
     * help.
     */
    void prefetch();

    /** Discards everything that has arrived. */
    default void clear() {
        confirm(peek());
        free(heldBytes());
    }

    /** The next {@code lengthBytes} after the confirmed position as a segment of its own. Allocates; for convenience. */
    default MemorySegment batch(long lengthBytes) {
        return memory().asSlice(offset(), lengthBytes);
    }
}
