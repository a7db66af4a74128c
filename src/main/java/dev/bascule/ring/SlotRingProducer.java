package dev.bascule.ring;

import static dev.bascule.ring.SlotRing.PAYLOAD_WORDS;
import static dev.bascule.ring.SlotRing.WORD;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The sending end of a {@link SlotRing}: {@code write} fills slots that nobody sees yet, {@code commit} publishes them
 * in order.
 * <p>
 * Thread rule: one thread at a time. Errors: the segment's own {@link IllegalStateException} after its arena is
 * closed; a full ring is a number.
 */
public final class SlotRingProducer extends RingEnd {
    SlotRingProducer(MemorySegment memory, int capacity) {
        super(memory, capacity);
        credit = capacity;
    }

    /** Number of slots. */
    public int capacity() {
        return (int) mask + 1;
    }

    /**
     * Slots that can be written now, at most {@code wanted}. Reads the shared credit only if the known credit is less
     * than {@code wanted}.
     */
    public int free(int wanted) {
        long known = credit - (position + open);
        if (known < wanted) {
            known = refreshCredit();
        }
        return (int) Math.min(known, wanted);
    }

    /**
     * Writes one message, not visible before {@link #commit}.
     *
     * @return false if the ring is full; nothing was written then
     */
    public boolean write(long word0, long word1, long word2, long word3, long word4, long word5, long word6) {
        long message = position + open;
        if (message == credit && refreshCredit() == 0) {
            return false;
        }
        MemorySegment segment = memory;
        long slot = slotOffset(message);
        WORD.set(segment, slot + 8, word0);
        WORD.set(segment, slot + 16, word1);
        WORD.set(segment, slot + 24, word2);
        WORD.set(segment, slot + 32, word3);
        WORD.set(segment, slot + 40, word4);
        WORD.set(segment, slot + 48, word5);
        WORD.set(segment, slot + 56, word6);
        open++;
        return true;
    }

    /**
     * Writes up to {@code count} messages of seven words each from {@code words}, starting at index {@code from}; not
     * visible before {@link #commit}.
     *
     * @return the number written, less than {@code count} if the ring is full
     * @throws IndexOutOfBoundsException if the array is too short for {@code count} messages
     */
    public int write(long[] words, int from, int count) {
        Objects.checkFromIndexSize((long) from, (long) count * PAYLOAD_WORDS, words.length);
        int fits = free(count);
        for (int i = 0; i < fits; i++) {
            int w = from + i * PAYLOAD_WORDS;
            write(words[w], words[w + 1], words[w + 2], words[w + 3], words[w + 4], words[w + 5], words[w + 6]);
        }
        return fits;
    }

    /**
     * Publishes everything written since the last commit, oldest first.
     *
     * @return the number of messages published
     */
    public int commit() {
        int count = open;
        long from = position;
        MemorySegment segment = memory;
        for (int i = 0; i < count; i++) {
            // release: partner is the acquire in SlotRingConsumer.peek
            WORD.setRelease(segment, slotOffset(from + i), from + i + 1);
        }
        position = from + count;
        open = 0;
        return count;
    }

    /** Times the shared credit held a value that the other end cannot have meant; it was ignored. */
    public long faults() {
        return faults;
    }

    /** Takes over the consumer's credit if it is believable; returns the slots that are free then. */
    private long refreshCredit() {
        // acquire: partner is the release in SlotRingConsumer.returnCredit
        long consumed = (long) WORD.getAcquire(memory, SlotRing.CREDIT_OFFSET);
        long capacity = mask + 1;
        if (consumed < credit - capacity || consumed > position) {
            faults++;
        } else {
            credit = consumed + capacity;
        }
        return credit - (position + open);
    }
}
