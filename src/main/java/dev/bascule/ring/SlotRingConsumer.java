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
    /** Slots handed back at a time while messages flow; an empty ring hands back all. */
    private final int creditBatch;

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
        int found = open;
        if (found < max) {
            found = look(found, max);
            open = found;
            if (found == 0) {
                returnCredit();
            }
        }
        return Math.min(found, max);
    }

    /**
     * Payload word {@code word} (0 to 6) of peeked message {@code index} (0 is the oldest). Reads shared memory each
     * time.
     *
     * @throws IndexOutOfBoundsException if the message was not peeked or the word does not exist
     */
    public long word(int index, int word) {
        Objects.checkIndex(index, open);
        Objects.checkIndex(word, PAYLOAD_WORDS);
        return (long) WORD.get(memory, slotOffset(position + index) + 8 + ((long) word << 3));
    }

    /**
     * Hands the oldest {@code count} peeked messages back to the producer.
     *
     * @throws IndexOutOfBoundsException if fewer were peeked
     */
    public void consume(int count) {
        Objects.checkFromIndexSize(0, count, open);
        position += count;
        open -= count;
        if (position - credit >= creditBatch) {
            returnCredit();
        }
    }

    /**
     * Copies up to {@code max} messages of seven words each into {@code words} from index {@code from} on, and
     * consumes them.
     *
     * @return the number copied
     * @throws IndexOutOfBoundsException if the array is too short for {@code max} messages
     */
    public int read(long[] words, int from, int max) {
        Objects.checkFromIndexSize((long) from, (long) max * PAYLOAD_WORDS, words.length);
        int count = peek(max);
        MemorySegment segment = memory;
        for (int i = 0; i < count; i++) {
            long slot = slotOffset(position + i);
            int w = from + i * PAYLOAD_WORDS;
            for (int k = 0; k < PAYLOAD_WORDS; k++) {
                words[w + k] = (long) WORD.get(segment, slot + 8 + ((long) k << 3));
            }
        }
        consume(count);
        return count;
    }

    private int look(int seen, int max) {
        MemorySegment segment = memory;
        long next = position + seen;
        long end = position + Math.min(max, mask + 1);
        // acquire: partner is the release in SlotRingProducer.commit
        while (next != end && (long) WORD.getAcquire(segment, slotOffset(next)) == next + 1) {
            next++;
        }
        return (int) (next - position);
    }

    private void returnCredit() {
        if (credit != position) {
            credit = position;
            // release: partner is the acquire in SlotRingProducer.refreshCredit
            WORD.setRelease(memory, SlotRing.CREDIT_OFFSET, position);
        }
    }
}
