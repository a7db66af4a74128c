package dev.bascule.ring;

import dev.bascule.memory.PinnedMemory;
import java.lang.foreign.MemorySegment;

/**
 * A single-producer, single-consumer queue of 64-byte messages in shared, coherent (write-back) memory. The two ends
 * may live in different threads or processes; each is made from the same bytes with {@link #producer} and
 * {@link #consumer}.
 * <p>
 * Every message carries its sequence number in its own line, as a descriptor ring carries a phase bit, so no index is
 * shared on the hot path: a message costs one line transfer. Slots are handed back ("credit") in batches through a
 * line of their own, which the producer reads only when the credit it knows of has run out.
 *
 * <pre>
 *   bytes 0..7                credit: number of messages consumed so far   (written by the consumer)
 *   bytes 8..255              not read: keeps credit and slots apart for the adjacent-line prefetcher
 *   256 + 64 * i, bytes 0..7  sequence: 1 + number of the message in it    (written by the producer)
 *   256 + 64 * i, bytes 8..63 seven payload words                          (written by the producer)
 * </pre>
 *
 * Words are 8 bytes in native byte order; message number {@code n} lives in slot {@code n mod capacity}. All zero is
 * the empty ring.
 * <p>
 * Memory order, with partners:
 * <ol>
 * <li>producer {@code commit}: release store of the sequence of the oldest message of a batch; partner: acquire load
 * of it in consumer {@code peek}. Makes the payload visible before the message, and with it the whole batch: the
 * consumer takes messages in order, so nothing behind the one held back can be seen before it.
 * <li>consumer credit return: release store of the credit; partner: acquire load of it in the producer when it runs
 * out. Keeps the next lap's payload from overtaking the reading of this one.
 * </ol>
 * <p>
 * The ends reach the memory by address, in bounds by construction: a slot is the message's number under a mask. The
 * other end is not trusted: a sequence is only compared, never used as an index, and a credit outside of what was
 * sent is refused and counted. Whatever bytes the memory holds, no end leaves its segment, loops forever or throws;
 * a hostile producer can of course send any payload and change it while it is read, so read a word once.
 */
public final class SlotRing {
    /** Bytes of a slot: one cache line. */
    public static final int SLOT_BYTES = 64;

    /** Payload words of 8 bytes in a slot. */
    public static final int PAYLOAD_WORDS = 7;

    /** Largest number of slots (4 GiB of memory). */
    public static final int MAX_CAPACITY = 1 << 26;

    static final long CREDIT_OFFSET = 0;
    static final long SLOTS_OFFSET = 256;
    static final int SLOT_SHIFT = 6;

    /** A line this far in front of the slots takes what was posted although no slot was free; nobody reads it. */
    static final long SCRAP_BEFORE_SLOTS = 128;

    private SlotRing() {}

    /**
     * Bytes of memory that a ring of {@code capacity} slots needs.
     *
     * @throws IllegalArgumentException if {@code capacity} is not a power of two from 2 to {@link #MAX_CAPACITY}
     */
    public static long sizeBytes(int capacity) {
        if (capacity < 2 || capacity > MAX_CAPACITY || Integer.bitCount(capacity) != 1) {
            throw new IllegalArgumentException(
                    "ring capacity must be a power of two from 2 to " + MAX_CAPACITY + ": " + capacity);
        }
        return SLOTS_OFFSET + (long) capacity * SLOT_BYTES;
    }

    /** Empties a ring that no end uses any more: both ends made after this start at message 0. */
    public static void clear(PinnedMemory memory, int capacity) {
        bounded(memory, capacity).segment().fill((byte) 0);
    }

    /**
     * The sending end of the ring in {@code memory}, at message 0: make it on zeroed or {@linkplain #clear cleared}
     * memory, once.
     *
     * @throws IllegalArgumentException if the memory is too small or not 64-byte aligned
     */
    public static SlotRingProducer producer(PinnedMemory memory, int capacity) {
        return producer(memory, capacity, 0);
    }

    /**
     * A producer at message {@code first}, for memory that the end of a former ring may still write to: with numbers
     * far enough apart, neither ring takes the other's credits or messages for its own.
     *
     * @param first a multiple of {@code capacity}, not negative
     */
    public static SlotRingProducer producer(PinnedMemory memory, int capacity, long first) {
        return new SlotRingProducer(bounded(memory, capacity), capacity, first(first, capacity));
    }

    /** The receiving end of the ring in {@code memory}, at message 0; same conditions as {@link #producer}. */
    public static SlotRingConsumer consumer(PinnedMemory memory, int capacity) {
        return consumer(memory, capacity, 0);
    }

    /** A consumer at message {@code first}, as its producer. */
    public static SlotRingConsumer consumer(PinnedMemory memory, int capacity, long first) {
        return new SlotRingConsumer(bounded(memory, capacity), capacity, first(first, capacity));
    }

    private static long first(long first, int capacity) {
        if (first < 0 || (first & capacity - 1) != 0) {
            throw new IllegalArgumentException(
                    "a ring of " + capacity + " slots begins at a multiple of that: " + first);
        }
        return first;
    }

    /** The ring's bytes, checked once for all: the ends reach them by address. */
    private static PinnedMemory bounded(PinnedMemory memory, int capacity) {
        long size = sizeBytes(capacity);
        MemorySegment bytes = memory.segment();
        if (memory.sizeBytes() < size) {
            throw new IllegalArgumentException(
                    "ring of " + capacity + " slots needs " + size + " bytes, the memory has " + memory.sizeBytes());
        }
        if (bytes.address() % SLOT_BYTES != 0) {
            throw new IllegalArgumentException("ring memory must be 64-byte aligned: " + bytes);
        }
        memory.requireOpen();
        return memory.slice(0, size);
    }
}
