package dev.bascule.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SlotRingTest {
    private static final int CAPACITY = 8;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate(SlotRing.sizeBytes(CAPACITY), 64);
    private final SlotRingProducer producer = SlotRing.producer(memory, CAPACITY);
    private final SlotRingConsumer consumer = SlotRing.consumer(memory, CAPACITY);

    @AfterEach
    void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    @Test
    void emptyRingHasNothingToPeek() {
        assertThat(consumer.peek(1)).isZero();
        assertThat(consumer.peek(100)).isZero();
        assertThat(producer.free(100)).isEqualTo(CAPACITY);
    }

    @Test
    void messageIsInvisibleUntilCommit() {
        assertThat(send(7)).isTrue();
        assertThat(consumer.peek(1)).isZero();
        assertThat(producer.commit()).isEqualTo(1);
        assertThat(consumer.peek(1)).isEqualTo(1);
    }

    @Test
    void commitWithoutWritePublishesNothing() {
        assertThat(producer.commit()).isZero();
        assertThat(consumer.peek(1)).isZero();
    }

    @Test
    void allSevenWordsArriveInTheirPlaces() {
        producer.write(-1, 2, Long.MIN_VALUE, 4, 0, Long.MAX_VALUE, 7);
        producer.commit();
        consumer.peek(1);
        long[] words = new long[7];
        for (int i = 0; i < 7; i++) {
            words[i] = consumer.word(0, i);
        }
        assertThat(words).containsExactly(-1, 2, Long.MIN_VALUE, 4, 0, Long.MAX_VALUE, 7);
    }

    @Test
    void peekShowsTheSameMessagesUntilTheyAreConsumed() {
        sendAndCommit(1, 2, 3);
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
    void fullRingTakesNothingAndOverwritesNothing() {
        for (int i = 0; i < CAPACITY; i++) {
            assertThat(send(i)).isTrue();
        }
        assertThat(send(99)).isFalse();
        producer.commit();
        assertThat(send(99)).isFalse();
        assertThat(producer.free(1)).isZero();
        assertThat(consumer.peek(100)).isEqualTo(CAPACITY);
        for (int i = 0; i < CAPACITY; i++) {
            assertThat(consumer.word(i, 0)).isEqualTo(i);
        }
    }

    @Test
    void consumedSlotsAreFreeAgain() {
        sendAndCommit(0, 1, 2, 3, 4, 5, 6, 7);
        consumer.peek(3);
        consumer.consume(3);
        assertThat(producer.free(100)).isEqualTo(3);
        assertThat(send(8) && send(9) && send(10)).isTrue();
        assertThat(send(11)).isFalse();
    }

    @Test
    void creditIsNotReadWhileTheKnownCreditLasts() {
        setCredit(Long.MAX_VALUE);
        sendAndCommit(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(producer.faults()).as("looked at the credit line").isZero();
        assertThat(send(8)).isFalse();
        assertThat(producer.faults()).isEqualTo(1);
    }

    @Test
    void bigRingReturnsCreditInBatchesAndAllOfItWhenEmpty() {
        int capacity = 64;
        MemorySegment big = arena.allocate(SlotRing.sizeBytes(capacity), 64);
        SlotRingProducer from = SlotRing.producer(big, capacity);
        SlotRingConsumer to = SlotRing.consumer(big, capacity);
        for (int i = 0; i < 10; i++) {
            from.write(i, 0, 0, 0, 0, 0, 0);
        }
        from.commit();
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
            int writes = random.nextInt(CAPACITY + 2);
            for (int i = 0; i < writes && send(sent); i++) {
                sent++;
            }
            producer.commit();
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
    void arraysOfMessagesGoThroughWhole() {
        long[] out = new long[5 * 7];
        for (int i = 0; i < out.length; i++) {
            out[i] = i * 31L;
        }
        assertThat(producer.write(out, 0, 5)).isEqualTo(5);
        assertThat(producer.write(out, 0, 5)).as("only three slots left").isEqualTo(3);
        assertThat(producer.commit()).isEqualTo(8);
        long[] in = new long[2 + 5 * 7];
        assertThat(consumer.read(in, 2, 5)).isEqualTo(5);
        assertThat(java.util.Arrays.copyOfRange(in, 2, in.length)).isEqualTo(out);
        assertThat(consumer.read(in, 0, 5)).isEqualTo(3);
        assertThat(consumer.read(in, 0, 5)).isZero();
    }

    @Test
    void twoRingsInOneMemoryDoNotTouch() {
        long size = SlotRing.sizeBytes(2);
        MemorySegment two = arena.allocate(2 * size, 64);
        SlotRingProducer first = SlotRing.producer(two, 2);
        SlotRing.producer(two.asSlice(size), 2).write(1, 1, 1, 1, 1, 1, 1);
        while (first.write(2, 2, 2, 2, 2, 2, 2)) {
            first.commit();
        }
        assertThat(SlotRing.consumer(two.asSlice(size), 2).peek(2)).isZero();
        assertThat(SlotRing.consumer(two, 2).peek(2)).isEqualTo(2);
    }

    @Test
    void clearedRingStartsAgainAtZero() {
        sendAndCommit(1, 2, 3);
        SlotRing.clear(memory, CAPACITY);
        SlotRingConsumer fresh = SlotRing.consumer(memory, CAPACITY);
        assertThat(fresh.peek(1)).isZero();
        SlotRing.producer(memory, CAPACITY).write(5, 0, 0, 0, 0, 0, 0);
        assertThat(fresh.peek(1)).isZero();
    }

    @Test
    void readingWhatWasNotPeekedIsRefused() {
        sendAndCommit(1, 2);
        assertThatThrownBy(() -> consumer.word(0, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        consumer.peek(1);
        assertThatThrownBy(() -> consumer.word(1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> consumer.word(0, 7)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> consumer.word(0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> consumer.consume(2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> consumer.consume(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> consumer.peek(-1));
    }

    @Test
    void arraysTooShortAreRefusedBeforeAnythingMoves() {
        sendAndCommit(1);
        assertThatThrownBy(() -> producer.write(new long[13], 0, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> producer.write(new long[14], 0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> consumer.read(new long[6], 0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(producer.commit()).isZero();
        assertThat(consumer.peek(1)).isEqualTo(1);
    }

    @Test
    void unsuitableMemoryIsRefusedWithTheReason() {
        assertThatIllegalArgumentException().isThrownBy(() -> SlotRing.sizeBytes(3)).withMessageContaining("power of two");
        assertThatIllegalArgumentException().isThrownBy(() -> SlotRing.sizeBytes(1));
        assertThatIllegalArgumentException().isThrownBy(() -> SlotRing.sizeBytes(Integer.MIN_VALUE));
        assertThatIllegalArgumentException().isThrownBy(() -> SlotRing.producer(memory, 16)).withMessageContaining("1280");
        assertThatIllegalArgumentException().isThrownBy(() -> SlotRing.consumer(memory.asReadOnly(), CAPACITY))
                .withMessageContaining("read-only");
        assertThatIllegalArgumentException().isThrownBy(() -> SlotRing.producer(memory.asSlice(8), 2))
                .withMessageContaining("64-byte aligned");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SlotRing.producer(MemorySegment.ofArray(new long[1024]), CAPACITY))
                .withMessageContaining("outside the Java heap");
    }

    @Test
    void useAfterCloseIsAnExceptionNotACrash() {
        sendAndCommit(1);
        consumer.peek(1);
        arena.close();
        assertThatThrownBy(() -> send(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> consumer.word(0, 0)).isInstanceOf(IllegalStateException.class);
    }

    private boolean send(long value) {
        return producer.write(value, 0, 0, 0, 0, 0, ~value);
    }

    private void sendAndCommit(long... values) {
        for (long value : values) {
            assertThat(send(value)).isTrue();
        }
        assertThat(producer.commit()).isEqualTo(values.length);
    }

    private void setCredit(long value) {
        memory.set(ValueLayout.JAVA_LONG, SlotRing.CREDIT_OFFSET, value);
    }

    private static long credit(MemorySegment ring) {
        return ring.get(ValueLayout.JAVA_LONG, SlotRing.CREDIT_OFFSET);
    }
}
