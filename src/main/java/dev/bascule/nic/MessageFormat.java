package dev.bascule.nic;

import java.lang.foreign.MemorySegment;

/**
 * How messages are found in a stream of bytes; supplied by the user of a pipe. Called once per message, so it must not
 * allocate.
 */
@FunctionalInterface
public interface MessageFormat {
    /** The message has not arrived as a whole, and its length is not known yet. */
    long INCOMPLETE = 0;

    /** The bytes are no message; nothing after them can be found in this batch. */
    long MALFORMED = -1;

    /**
     * The length of the message that starts at {@code offset}, with everything up to the next message.
     *
     * @param memory the ring
     * @param offset where the message starts
     * @param availableBytes how many bytes of the stream follow, at least 1
     * @return its length in bytes, also when it is longer than what is available; or {@link #INCOMPLETE} or
     *     {@link #MALFORMED}
     */
    long lengthBytes(MemorySegment memory, long offset, long availableBytes);
}
