package dev.bascule.ring;

import static dev.bascule.ring.SlotRing.PAYLOAD_WORDS;

import dev.bascule.ffi.RawMemory;
import dev.bascule.memory.PinnedMemory;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * The receiving end of a {@link SlotRing}: {@code peek} finds messages, {@code word} reads them in place,
 * {@code consume} returns their slots.
 * <p>
 * Thread rule: one thread at a time. Errors: {@link IndexOutOfBoundsException} for a message that was not peeked;
 * {@link IllegalStateException} from a peek that finds nothing after the memory was closed; an empty ring is a number.
 */
public final class SlotRingConsumer extends RingEnd {
    /**
     * Messages looked for at least: a tight loop over sequences lets the CPU fetch many lines at once, which it does
     * not when each look is followed by the handling of a message.
     */
    private static final int LOOK_AHEAD = 16;

    SlotRingConsumer(PinnedMemory memory, int capacity, long first) {
        super(memory, capacity, first);
        credit = first;
        found = first;
    }

    /**
     * Messages that can be read now, at most {@code max}; 0 if there are none. Does not consume: the same messages
     * are there at the next call.
     *
     * @throws IllegalArgumentException if {@code max} is negative
     */
    public int peek(int max) {
        long from = position;
        long ready = found - from;
        if (ready < max) {
            found = look(from + ready, from + Math.min(Math.max(max, LOOK_AHEAD), mask + 1));
            ready = found - from;
            if (ready == 0) {
                idle();
            }
        }
        if (max < 0) {
            throw new IllegalArgumentException("cannot peek at " + max + " messages");
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
        Objects.checkIndex(index, found - position);
        Objects.checkIndex(word, PAYLOAD_WORDS);
        long value = RawMemory.load(slot(position + index) + 8L + ((long) word << 3));
        Reference.reachabilityFence(this); // the memory is found by address: it must outlive the load
        return value;
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
        // slots go back an eighth of the ring at a time while messages flow; an empty ring hands back all
        if (from + count - credit > mask >> 3) {
            returnCredit();
        }
    }

    /** Number of the first message from {@code message} to {@code end} that has not arrived. */
    private long look(long message, long end) {
        // acquire: partner is the release in SlotRingProducer.commit
        while (message != end && RawMemory.loadAcquire(slot(message)) == message + 1) {
            message++;
        }
        return message;
    }

    private void idle() {
        memory.requireOpen();
        // less than was said: the end of a former ring wrote over it
        if (credit != position || RawMemory.loadAcquire(creditWord()) < credit) {
            returnCredit();
        }
    }

    private void returnCredit() {
        credit = position;
        // release: partner is the acquire in SlotRingProducer.refreshCredit
        RawMemory.storeRelease(creditWord(), position);
        Reference.reachabilityFence(this); // as in word
    }
}
