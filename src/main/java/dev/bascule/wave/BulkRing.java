package dev.bascule.wave;

import dev.bascule.agent.Lines;
import dev.bascule.memory.Window;

/**
 * Where a bulk queue lies, and how its words are made. All that is polled lies in the memory of the side that polls.
 * <p>
 * Host to NIC: descriptors and total in NIC memory (host writes WC), payload and credit in host memory (NIC reads and
 * writes by DMA). NIC to host: payload, descriptors and total in host memory (NIC writes by DMA, in this order), credit
 * in NIC memory (host writes WC).
 * <p>
 * Descriptor line: word 0 sequence 32 | tag 16 | kind 16; word 1 byte offset of the payload in its ring; word 2 length
 * in words; word 3 digest of the payload; words 4 to 6 zero; word 7 digest. Credit and total: count 32 | tag 16 | check
 * 16, see {@link Lines#seal}.
 *
 * @param lines offset of the first descriptor line
 * @param entries descriptor lines, a power of two
 * @param total offset of the sender's word about how many messages it has sent
 * @param credit offset of the receiver's word about how many messages it has taken
 * @param payload offset of the payload ring
 * @param payloadBytes its size, a power of two
 * @param tag 16 bits that tell this queue from earlier users of the same memory
 */
record BulkRing(long lines, int entries, long total, long credit, long payload, long payloadBytes, int tag) {
    static final int KIND = 0x42;
    static final long MIN_PAYLOAD_BYTES = 2L * Window.LINE_BYTES;
    static final long MAX_PAYLOAD_BYTES = 1L << 30;

    BulkRing {
        if (entries < 2 || Integer.bitCount(entries) != 1) {
            throw new IllegalArgumentException("bulk queue of " + entries + " entries; it must be a power of two");
        }
        if (payloadBytes < MIN_PAYLOAD_BYTES || payloadBytes > MAX_PAYLOAD_BYTES || Long.bitCount(payloadBytes) != 1) {
            throw new IllegalArgumentException("payload ring of " + payloadBytes
                    + " bytes; it must be a power of two from 128 to " + MAX_PAYLOAD_BYTES);
        }
        if (((lines | total | credit | payload) & Window.LINE_BYTES - 1) != 0
                || (lines | total | credit | payload) < 0) {
            throw new IllegalArgumentException("the parts of a bulk queue must start on 64-byte lines");
        }
    }

    /** Longest message: half of the payload ring, so that an empty ring always takes one. */
    int maxWords() {
        return (int) (payloadBytes >>> 4);
    }

    /** Whether a descriptor stays inside of the payload ring. */
    boolean holds(long offset, long words) {
        return words >= 1 && words <= maxWords() && offset >= 0 && (offset & Window.LINE_BYTES - 1) == 0
                && offset <= payloadBytes - words * 8;
    }

    long line(int message) {
        return lines + (long) (message & entries - 1) * Window.LINE_BYTES;
    }

    long first(int message) {
        return (long) (message + 1) << 32 | (tag & 0xffffL) << 16 | KIND;
    }

    long seal(int count, long position) {
        return Lines.seal((long) count << 32 | (tag & 0xffffL) << 16, position);
    }

    /** Whether a credit or total is one of this queue. */
    boolean isOwn(long word, long position) {
        return (word >>> 16 & 0xffff) == (tag & 0xffff) && Lines.isSealed(word, position);
    }
}
