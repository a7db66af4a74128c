package dev.bascule.nic;

import java.lang.foreign.MemorySegment;

/**
 * Bytes to send as one stream in a ring mapped twice in a row. The application writes whole packets, each at a multiple
 * of {@link RxPipe#QUANTUM_BYTES}, from {@link #offset()} on, then sends them. Thread rule: the thread of its
 * {@link PipeGroup}. No allocation.
 */
public interface TxPipe {
    /** A number for people; counted within the group. */
    int id();

    /** The ring, twice in a row. Always the same object. */
    MemorySegment memory();

    /** Size of the ring. */
    long capacityBytes();

    /** Bytes that can be written from {@link #offset()} on, counting what the device has read meanwhile. */
    long available();

    /** Where in {@link #memory()} the next packet goes. */
    long offset();

    /**
     * Sends the next {@code lengthBytes}, a multiple of the quantum and at most {@link #available()}.
     *
     * @return bytes accepted, from the start; fewer than asked when the device has no room for requests
     */
    long send(long lengthBytes);

    /**
     * Whether the device would send the packet at {@code offset} of {@link #memory()} with {@code lengthBytes}; as {@link
     * RxTxPipe#isSendable}.
     */
    default boolean isSendable(long offset, int lengthBytes) {
        return true;
    }

    /** Bytes sent that the device has not read yet. */
    long pendingBytes();
}
