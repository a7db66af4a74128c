package dev.bascule.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.SharedMemory;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SlotRingTest {
    private static final int CAPACITY = 8;

    private final PinnedMemory memory = PinnedMemory.allocate(SlotRing.sizeBytes(CAPACITY));
    private final SlotRingProducer producer = SlotRing.producer(memory, CAPACITY);
    private final SlotRingConsumer consumer = SlotRing.consumer(memory, CAPACITY);

    @Test
    void emptyRingHasNothingToPeek() {
        assertThat(consumer.peek(1)).isZero();
        assertThat(consumer.peek(100)).isZero();
        assertThat(producer.free(100)).isEqualTo(CAPACITY);
    }

    @Test
    void messagesAreInvisibleUntilCommitAndThenAllThere() {
        write(0, 7);
        write(1, 8);
        assertThat(consumer.peek(2)).isZero();
        producer.commit(2);
        assertThat(consumer.peek(2)).isEqualTo(2);
        assertThat(consumer.word(1, 0)).isEqualTo(8);
    }

    @Test
    void writingInAnyOrderOfIndexIsTheSame() {
        write(2, 12);
        write(0, 10);
        write(1, 11);
        producer.commit(3);
        assertThat(consumer.peek(3)).isEqualTo(3);
        assertThat(consumer.word(0, 0)).isEqualTo(10);
        assertThat(consumer.word(2, 0)).isEqualTo(12);
    }

    @Test
    void committingOtherThanWhatWasWrittenIsAnErrorWithAssertionsOn() {
        write(0, 1);
        write(1, 2);
        assertThatThrownBy(() -> producer.commit(1)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> producer.commit(3)).isInstanceOf(AssertionError.class);
        assertThat(consumer.peek(2)).isZero();
        producer.commit(2);
        assertThat(consumer.peek(2)).isEqualTo(2);
    }

    @Test
    void aMessageMayBeWrittenAgainBeforeTheCommit() {
        write(0, 1);
        write(1, 2);
        write(0, 3);
        producer.commit(2);
        assertThat(consumer.peek(2)).isEqualTo(2);
        assertThat(consumer.word(0, 0)).isEqualTo(3);
    }

    @Test
    void emptyCommitPublishesNothing() {
        producer.commit(0);
        assertThat(consumer.peek(1)).isZero();
        assertThat(producer.free(CAPACITY)).isEqualTo(CAPACITY);
    }

    @Test
    void theFormThatCountsWritesBehindWhatIsWritten() {
        for (int i = 0; i < CAPACITY; i++) {
            assertThat(producer.write(i, 0, 0, 0, 0, 0, 0)).isTrue();
        }
        assertThat(producer.write(99, 0, 0, 0, 0, 0, 0)).as("full").isFalse();
        assertThat(consumer.peek(1)).isZero();
        assertThat(producer.commit()).isEqualTo(CAPACITY);
        assertThat(producer.commit()).isZero();
        assertThat(producer.write(99, 0, 0, 0, 0, 0, 0)).as("still full").isFalse();
        assertThat(consumer.peek(100)).isEqualTo(CAPACITY);
        for (int i = 0; i < CAPACITY; i++) {
            assertThat(consumer.word(i, 0)).isEqualTo(i);
        }
        consumer.consume(3);
        assertThat(producer.write(8, 0, 0, 0, 0, 0, 0)).isTrue();
        assertThat(producer.commit()).isEqualTo(1);
        assertThat(consumer.peek(100)).isEqualTo(CAPACITY - 2);
        assertThat(consumer.word(CAPACITY - 3, 0)).isEqualTo(8);
    }

    @Test
    void postPublishesAtOnce() {
        assertThat(post(5)).isTrue();
        assertThat(consumer.peek(1)).isEqualTo(1);
        assertThat(consumer.word(0, 0)).isEqualTo(5);
        assertThat(consumer.word(0, 6)).isEqualTo(~5L);
    }

    @Test
    void writingMoreThanIsFreeIsRefused() {
        assertThatThrownBy(() -> write(CAPACITY, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> write(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> producer.commit(CAPACITY + 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> producer.commit(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        postAll(0, 1, 2, 3, 4, 5, 6, 7);
        assertThatThrownBy(() -> producer.post(8, 0, 0, 0, 0, 0, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(consumer.peek(CAPACITY)).isEqualTo(CAPACITY);
        assertThat(consumer.word(0, 0)).as("nothing overwritten").isZero();
    }

    @Test
    void postingIntoAFullRingChangesNeitherMessagesNorCreditNorWhatComesNext() {
        postAll(0, 1, 2, 3, 4, 5, 6, 7);
        long[] credit = words(0, 1);
        long[] slots = words(SlotRing.SLOTS_OFFSET / 8, CAPACITY * 8);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> producer.post(-1, -1, -1, -1, -1, -1, -1))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThat(words(0, 1)).isEqualTo(credit);
        assertThat(words(SlotRing.SLOTS_OFFSET / 8, CAPACITY * 8)).isEqualTo(slots);
        assertThat(consumer.peek(CAPACITY)).isEqualTo(CAPACITY);
        consumer.consume(CAPACITY);
        assertThat(post(8)).isTrue();
        assertThat(consumer.peek(2)).isEqualTo(1);
        assertThat(consumer.word(0, 0)).isEqualTo(8);
    }

    private long[] words(long from, int count) {
        return memory.segment().asSlice(from * 8, count * 8L).toArray(ValueLayout.JAVA_LONG);
    }

    @Test
    void allSevenWordsArriveInTheirPlaces() {
        producer.write(0, -1, 2, Long.MIN_VALUE, 4, 0, Long.MAX_VALUE, 7);
        producer.commit(1);
        consumer.peek(1);
        long[] words = new long[7];
        for (int i = 0; i < 7; i++) {
            words[i] = consumer.word(0, i);
        }
        assertThat(words).containsExactly(-1, 2, Long.MIN_VALUE, 4, 0, Long.MAX_VALUE, 7);
    }

    @Test
    void peekShowsTheSameMessagesUntilTheyAreConsumed() {
        postAll(1, 2, 3);
        assertThat(consumer.peek(2)).isEqualTo(2);
        assertThat(consumer.peek(3)).isEqualTo(3);
        assertThat(consumer.peek(1)).isEqualTo(1);
        assertThat(consumer.word(0, 0)).isEqualTo(1);
        assertThat(consumer.word(2, 0)).isEqualTo(3);
        consumer.consume(2);
        assertThat(consumer.peek(9)).isEqualTo(1);
        assertThat(consumer.word(0, 0)).isEqualTo(3);
    }

    @Test
    void fullRingHasNothingFreeUntilTheConsumerHandsBack() {
        postAll(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(producer.free(1)).isZero();
        assertThat(consumer.peek(100)).isEqualTo(CAPACITY);
        assertThat(producer.free(1)).as("peeking hands nothing back").isZero();
        consumer.consume(1);
        assertThat(producer.free(8)).isEqualTo(1);
        for (int i = 0; i < CAPACITY - 1; i++) {
            assertThat(consumer.word(i, 0)).isEqualTo(i + 1);
        }
    }

    @Test
    void consumedSlotsAreFreeAgain() {
        postAll(0, 1, 2, 3, 4, 5, 6, 7);
        consumer.peek(3);
        consumer.consume(3);
        assertThat(producer.free(100)).isEqualTo(3);
        postAll(8, 9, 10);
        assertThat(post(11)).isFalse();
    }

    @Test
    void creditIsNotReadWhileTheKnownCreditLasts() {
        setCredit(Long.MAX_VALUE);
        postAll(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(producer.faults()).as("looked at the credit line").isZero();
        assertThat(producer.free(1)).isZero();
        assertThat(producer.faults()).isEqualTo(1);
    }

    @Test
    void bigRingReturnsCreditInBatchesAndAllOfItWhenEmpty() {
        int capacity = 64;
        PinnedMemory big = PinnedMemory.allocate(SlotRing.sizeBytes(capacity));
        SlotRingProducer from = SlotRing.producer(big, capacity);
        SlotRingConsumer to = SlotRing.consumer(big, capacity);
        for (int i = 0; i < 10; i++) {
            from.write(i, i, 0, 0, 0, 0, 0, 0);
        }
        from.commit(10);
        to.peek(7);
        to.consume(7);
        assertThat(credit(big)).isZero();
        to.peek(1);
        to.consume(1);
        assertThat(credit(big)).as("an eighth of the ring").isEqualTo(8);
        to.peek(2);
        to.consume(2);
        assertThat(credit(big)).isEqualTo(8);
        assertThat(to.peek(1)).isZero();
        assertThat(credit(big)).as("empty").isEqualTo(10);
    }

    @Test
    void orderHoldsOverManyWrapsWithRandomBatches() {
        long seed = System.nanoTime();
        System.out.println("SlotRingTest.orderHoldsOverManyWrapsWithRandomBatches seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        long sent = 0;
        long received = 0;
        while (received < 100_000) {
            int writes = producer.free(random.nextInt(CAPACITY + 2));
            for (int i = 0; i < writes; i++) {
                write(i, sent++);
            }
            producer.commit(writes);
            int found = consumer.peek(random.nextInt(CAPACITY + 2));
            int take = random.nextInt(found + 1);
            for (int i = 0; i < take; i++) {
                assertThat(consumer.word(i, 0)).isEqualTo(received++);
            }
            consumer.consume(take);
            assertThat(sent - received).isBetween(0L, (long) CAPACITY);
        }
        assertThat(producer.faults()).isZero();
    }

    @Test
    void twoRingsInOneMemoryDoNotTouch() {
        long size = SlotRing.sizeBytes(2);
        PinnedMemory two = PinnedMemory.allocate(2 * size);
        SlotRingProducer first = SlotRing.producer(two, 2);
        SlotRing.producer(two.slice(size, size), 2).write(0, 1, 1, 1, 1, 1, 1, 1);
        while (first.free(1) == 1) {
            first.post(2, 2, 2, 2, 2, 2, 2);
        }
        assertThat(SlotRing.consumer(two.slice(size, size), 2).peek(2)).isZero();
        assertThat(SlotRing.consumer(two, 2).peek(2)).isEqualTo(2);
    }

    @Test
    void clearedRingStartsAgainAtZero() {
        postAll(1, 2, 3);
        SlotRing.clear(memory, CAPACITY);
        SlotRingConsumer fresh = SlotRing.consumer(memory, CAPACITY);
        assertThat(fresh.peek(1)).isZero();
        SlotRing.producer(memory, CAPACITY).post(5, 0, 0, 0, 0, 0, 0);
        assertThat(fresh.peek(8)).isEqualTo(1);
    }

    @Test
    void readingWhatWasNotPeekedIsRefused() {
        postAll(1, 2);
        assertThatThrownBy(() -> consumer.word(0, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(consumer.peek(1)).isEqualTo(1);
        assertThatThrownBy(() -> consumer.word(2, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> consumer.word(0, 7)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> consumer.word(0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> consumer.consume(3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> consumer.consume(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> consumer.peek(-1));
    }

    @Test
    void unsuitableMemoryIsRefusedWithTheReason() {
        assertThatIllegalArgumentException().isThrownBy(() -> SlotRing.sizeBytes(3))
                .withMessageContaining("power of two");
        assertThatIllegalArgumentException().isThrownBy(() -> SlotRing.sizeBytes(1));
        assertThatIllegalArgumentException().isThrownBy(() -> SlotRing.sizeBytes(Integer.MIN_VALUE));
        assertThatIllegalArgumentException().isThrownBy(() -> SlotRing.producer(memory, 16))
                .withMessageContaining("1280");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SlotRing.producer(memory.slice(8, memory.sizeBytes() - 8), 2))
                .withMessageContaining("64-byte aligned");
    }

    @Test
    void useAfterCloseIsAnExceptionNotACrash() {
        SharedMemory shared = SharedMemory.create("ring-close", SlotRing.sizeBytes(CAPACITY));
        SlotRingProducer from = SlotRing.producer(shared.pinned(), CAPACITY);
        SlotRingConsumer to = SlotRing.consumer(shared.pinned(), CAPACITY);
        from.post(1, 0, 0, 0, 0, 0, 0);
        shared.close();
        assertThat(to.peek(CAPACITY)).as("the memory stays while an end has it").isEqualTo(1);
        assertThat(to.word(0, 0)).isEqualTo(1);
        to.consume(1);
        assertThatIllegalStateException().isThrownBy(() -> to.peek(1)).withMessageContaining("closed");
    }

    @Test
    void aSenderNoticesThatItsMemoryWasClosedWithinOneLap() {
        SharedMemory shared = SharedMemory.create("ring-close", SlotRing.sizeBytes(CAPACITY));
        SlotRingProducer from = SlotRing.producer(shared.pinned(), CAPACITY);
        shared.close();
        assertThatIllegalStateException().isThrownBy(() -> {
            for (int i = 0; i <= CAPACITY; i++) {
                assertThat(from.free(1)).isEqualTo(1);
                from.post(i, 0, 0, 0, 0, 0, 0);
            }
        }).withMessageContaining("closed");
    }

    private void write(int index, long value) {
        producer.write(index, value, 0, 0, 0, 0, 0, ~value);
    }

    private boolean post(long value) {
        if (producer.free(1) == 0) {
            return false;
        }
        producer.post(value, 0, 0, 0, 0, 0, ~value);
        return true;
    }

    private void postAll(long... values) {
        for (long value : values) {
            assertThat(post(value)).isTrue();
        }
    }

    private void setCredit(long value) {
        memory.segment().set(ValueLayout.JAVA_LONG, SlotRing.CREDIT_OFFSET, value);
    }

    private static long credit(PinnedMemory ring) {
        return ring.segment().get(ValueLayout.JAVA_LONG, SlotRing.CREDIT_OFFSET);
    }
}
