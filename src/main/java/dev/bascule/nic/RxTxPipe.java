package dev.bascule.nic;

/**
 * A pipe whose received bytes can be sent back from where they lie: confirmed bytes, oldest first, are either freed or
 * sent. Sent ones are freed by the pipe itself once the device has read them. Thread rule and errors as {@link RxPipe}.
 */
public interface RxTxPipe extends RxPipe {
    /**
     * Sends the oldest {@code lengthBytes} of what is confirmed and not yet sent; they must be whole packets, each at a
     * multiple of the quantum.
     *
     * @return bytes accepted, from the start; fewer than asked when the device has no room for requests
     */
    long sendAndFree(long lengthBytes);

    /**
     * Whether the device would send the packet at {@code offset} of {@link #memory()} with {@code lengthBytes}: one
     * that cuts a stream by a field of the packet may find another length there, and what follows would be lost.
     */
    default boolean isSendable(long offset, int lengthBytes) {
        return true;
    }

    /** Bytes sent that the device has not read yet. */
    long pendingBytes();
}
