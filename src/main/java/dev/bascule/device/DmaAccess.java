package dev.bascule.device;

import java.lang.foreign.MemorySegment;

/**
 * A device model's way to host memory. An access may span several mappings; one byte outside any of them, or against the
 * mapping's {@link DmaDirection}, fails the access as a whole: nothing is transferred, the fault is recorded at the
 * {@link AddressSpace}, and the model gets {@code false} as hardware gets an unsupported-request completion.
 * <p>
 * Writes are posted and become visible in the order of the calls, and before an interrupt raised after them. Inside one
 * write whose address is a multiple of 8: if it is 64 bytes long (a line), a reader that acquires its first word sees
 * the rest; if it is 8 to 56 bytes in whole words, a reader that acquires its last word does, so that an entry may have
 * its marker there. No other order is promised. An aligned write of 2, 4 or 8 bytes is never seen in part. No
 * allocation, except on a fault.
 * <p>
 * Thread rule: any thread of the model.
 */
public interface DmaAccess {
    /** Copies {@code lengthBytes} from host memory at {@code iova} to {@code to} at {@code toOffset}. */
    boolean read(long iova, MemorySegment to, long toOffset, long lengthBytes);

    /** Copies {@code lengthBytes} from {@code from} at {@code fromOffset} to host memory at {@code iova}. */
    boolean write(long iova, MemorySegment from, long fromOffset, long lengthBytes);

    /**
     * An AtomicOp of the device (CAS of 64 bits): replaces the word at {@code iova} by {@code word[1]} if it is
     * {@code word[0]}, in one step against the host's locked instructions, after the writes before it.
     *
     * @param iova a multiple of 8
     * @param word holds what is expected and what replaces it; its first element becomes what was there
     * @return whether it was carried out; false if it was refused, as by every backing that completes none
     */
    default boolean compareAndSwap(long iova, long[] word) {
        return false;
    }
}
