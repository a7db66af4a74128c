package dev.bascule.ring;

import dev.bascule.ffi.RawMemory;
import dev.bascule.memory.PinnedMemory;
import java.lang.ref.Reference;
import java.util.BitSet;
import java.util.Objects;

/**
 * The sending end of a {@link SlotRing}: {@code write} fills free slots that the consumer does not see yet, {@code
 * commit} publishes them, all at once; {@code post} does both for a single message.
 *
 * <pre>{@code
 * int n = producer.free(batch.size());
 * for (int i = 0; i < n; i++) {
 *     producer.write(i, ...);
 * }
 * producer.commit(n);
 * }</pre>
 *
 * In this form the caller counts within a batch. The form that counts by itself, {@code write(...)} and {@code
 * commit()}, costs a store more per message. Do not mix the two in one batch.
 * <p>
 * Thread rule: one thread at a time. Errors: {@link IndexOutOfBoundsException} for more than is free; {@link
 * IllegalStateException} after the memory was closed, at the latest when all free slots are used; a full ring is a
 * number.
 */
public final class SlotRingProducer extends RingEnd {
    /** Messages of the open batch; kept with assertions on only. */
    private final BitSet written = new BitSet();

    SlotRingProducer(PinnedMemory memory, int capacity, long first) {
        super(memory, capacity, first);
        credit = first + capacity;
        RawMemory.storeRelease(creditWord(), first); // none was consumed
    }

    /**
     * Slots that can be written now, at most {@code wanted}. Reads the shared credit only if the known credit is less
     * than {@code wanted}.
     */
    public int free(int wanted) {
        long known = credit - position;
        if (known < wanted) {
            known = refreshCredit();
        }
        return (int) Math.min(known, wanted);
    }

    /**
     * Writes message {@code index} (0 is the first) of the batch that the next {@link #commit} publishes. Until then
     * the consumer is held back by message 0 alone, so every message written must be committed.
     *
     * @throws IndexOutOfBoundsException if that many slots were not {@linkplain #free free}
     */
    public void write(int index, long word0, long word1, long word2, long word3, long word4, long word5, long word6) {
        long first = position;
        Objects.checkIndex(index, credit - first);
        assert noteWritten(index);
        long slot = slot(first + index);
        RawMemory.store(slot + 8, word0, word1, word2, word3, word4, word5, word6);
        if (index != 0) {
            RawMemory.store(slot, first + index + 1);
        }
        Reference.reachabilityFence(this); // the memory is found by address: it must outlive the stores
    }

    /**
     * Publishes the {@code count} messages written since the last commit. The consumer takes messages in order, so the
     * oldest hides the others until its sequence is there: one release store for the batch.
     *
     * @param count the number of messages written, not less; an {@link AssertionError} otherwise, with assertions on
     * @throws IndexOutOfBoundsException if that many slots were not {@linkplain #free free}
     */
    public void commit(int count) {
        long first = position;
        Objects.checkFromIndexSize(0, count, credit - first);
        assert allWritten(count);
        if (count != 0) {
            // release: partner is the acquire in SlotRingConsumer.look
            RawMemory.storeRelease(slot(first), first + 1);
            position = first + count;
            open = 0;
        }
    }

    /**
     * Writes one message after those written since the last commit; not visible before {@link #commit()}.
     *
     * @return false if the ring is full; nothing was written then
     */
    public boolean write(long word0, long word1, long word2, long word3, long word4, long word5, long word6) {
        int index = open;
        if (free(index + 1) <= index) {
            return false;
        }
        write(index, word0, word1, word2, word3, word4, word5, word6);
        open = index + 1;
        return true;
    }

    /**
     * Publishes all that was written by the form that counts since the last commit.
     *
     * @return the number of messages published
     */
    public int commit() {
        int count = open;
        commit(count);
        return count;
    }

    /**
     * Writes one message and publishes it: {@code write(0, ...)} and {@code commit(1)} in one step. Call {@link #free}
     * first: reading the credit in here would keep the message's words out of registers.
     *
     * @throws IndexOutOfBoundsException if no slot was free
     */
    public void post(long word0, long word1, long word2, long word3, long word4, long word5, long word6) {
        long message = position;
        // -1 if no slot is free, else 0. Not a branch: compiled code would hold all seven words across it, and put
        // others on the stack meanwhile; between far cores a message costs what its stores cost.
        long full = (credit - message - 1) >> 63;
        long slot = slots + (((message & mask) << SlotRing.SLOT_SHIFT) & ~full) - (SlotRing.SCRAP_BEFORE_SLOTS & full);
        RawMemory.store(slot + 8, word0, word1, word2, word3, word4, word5, word6);
        Objects.checkIndex(0, full + 1);
        // release: partner is the acquire in SlotRingConsumer.look
        RawMemory.storeRelease(slot, message + 1);
        position = message + 1;
    }

    private boolean noteWritten(int index) {
        written.set(index);
        return true;
    }

    private boolean allWritten(int count) {
        boolean all = written.nextClearBit(0) >= count && written.length() <= count;
        if (all) {
            written.clear();
        }
        return all;
    }

    /** Times the shared credit held a value that the other end cannot have meant; it was ignored. */
    public long faults() {
        return faults;
    }

    /** Takes over the consumer's credit if it is believable; returns the slots that are free then. */
    private long refreshCredit() {
        memory.requireOpen();
        // acquire: partner is the release in SlotRingConsumer.returnCredit
        long consumed = RawMemory.loadAcquire(creditWord());
        long capacity = mask + 1;
        if (consumed < credit - capacity || consumed > position) {
            faults++;
        } else {
            credit = consumed + capacity;
        }
        return credit - position;
    }
}
