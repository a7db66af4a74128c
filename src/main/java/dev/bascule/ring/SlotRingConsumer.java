package dev.bascule.ring;

import static dev.bascule.ring.SlotRing.PAYLOAD_WORDS;
import static dev.bascule.ring.SlotRing.WORD;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The receiving end of a {@link SlotRing}: {@code peek} finds messages, {@code word} reads them in place,
 * {@code consume} hands their slots back.
 * <p>
 * Thread rule: one thread at a time. Errors: {@link IndexOutOfBoundsException} for a message that was not peeked; the
 * segment's own {@link IllegalStateException} after its arena is closed; an empty ring is a number.
 */
public final class SlotRingConsumer extends RingEnd {
    /**
     * Messages looked for at least: a tight loop over sequences lets the CPU fetch many lines at once, which it does
     * not when each look is followed by the handling of a message.
     */
    private static final int LOOK_AHEAD = 16;

    /** Slots handed back at a time while messages flow; an empty ring hands back all. */
    private final int creditBatch;

    /** Number of the first message that was not found yet. */
    private long found;

    SlotRingConsumer(MemorySegment memory, int capacity) {
        super(memory, capacity);
        creditBatch = Math.max(1, capacity / 8);
    }

    /** Number of slots. */
    public int capacity() {
        return (int) mask + 1;
    }

    /**
     * Messages that can be read now, at most {@code max}; 0 if there are none. Does not consume: the same messages
     * are there at the next call.
     *
     * @throws IllegalArgumentException if {@code max} is negative
     */
    public int peek(int max) {
        if (max < 0) {
            throw new IllegalArgumentException("cannot peek at " + max + " messages");
        }
        long from = position;
        long ready = found - from;
        if (ready < max) {
            ready = look(from, ready, max);
            found = from + ready;
            if (ready == 0) {
                returnCredit();
            }
        }
        return (int) Math.min(ready, max);
    }

    /**
     * Payload word {@code word} (0 to 6) of peeked message {@code index} (0 is the oldest). Reads shared memory each
     * time.
     *
     * @throws IndexOutOfBoundsException if the message was not found by a peek or the word does not exist
     */
    public long word(int index, int word) {
        long from = position;
        Objects.checkIndex(index, found - from);
        Objects.checkIndex(word, PAYLOAD_WORDS);
        return (long) WORD.get(slot(from + index), 8L + ((long) word << 3));
    }

    /**
     * Hands the oldest {@code count} peeked messages back to the producer.
     *
     * @throws IndexOutOfBoundsException if fewer were found by a peek
     */
    public void consume(int count) {
        long from = position;
        Objects.checkFromIndexSize(0, count, found - from);
        position = from + count;
        if (from + count - credit >= creditBatch) {
            returnCredit();
        }
    }

    /** Number of messages that have arrived from {@code from} on, of which {@code seen} are known. */
    private long look(long from, long seen, int max) {
        MemorySegment segment = memory;
        long message = from + seen;
        long end = from + Math.min(Math.max(max, LOOK_AHEAD), mask + 1);
        // acquire: partner is the release in SlotRingProducer.commit
        while (message != end && (long) WORD.getAcquire(segment, offset(message)) == message + 1) {
            message++;
        }
        return message - from;
    }

    private void returnCredit() {
        if (credit != position) {
            credit = position;
            // release: partner is the acquire in SlotRingProducer.refreshCredit
            WORD.setRelease(memory, SlotRing.CREDIT_OFFSET, position);
        }
    }
}
