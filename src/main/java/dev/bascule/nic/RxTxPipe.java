package dev.bascule.nic;

/**
 * A pipe whose received bytes can be sent back from where they are: confirmed bytes, oldest first, are either freed or
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

    /** Bytes sent that the device has not read yet. */
    long pendingBytes();
}
