package dev.bascule.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.memory.PinnedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The other end writes whatever it likes into the shared bytes. */
class SlotRingHostileTest {
    private static final int CAPACITY = 16;
    private static final long GUARD_BYTES = 4096;
    private static final byte GUARD = 0x5a;

    @ParameterizedTest
    @ValueSource(longs = { -1, 9, 10, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 3, 1L << 32 })
    void unbelievableCreditIsIgnoredAndCounted(long credit) {
        PinnedMemory memory = PinnedMemory.allocate(SlotRing.sizeBytes(8));
        SlotRingProducer producer = SlotRing.producer(memory, 8);
        for (int i = 0; i < 8; i++) {
            producer.post(i, 0, 0, 0, 0, 0, 0);
        }
        memory.segment().set(ValueLayout.JAVA_LONG, 0, credit);
        assertThat(producer.free(1)).isZero();
        assertThat(producer.faults()).isEqualTo(1);
        memory.segment().set(ValueLayout.JAVA_LONG, 0, 2L);
        assertThat(producer.free(8)).as("a believable one later").isEqualTo(2);
    }

    @Test
    void creditThatGoesBackIsIgnored() {
        PinnedMemory memory = PinnedMemory.allocate(SlotRing.sizeBytes(8));
        SlotRingProducer producer = SlotRing.producer(memory, 8);
        SlotRingConsumer consumer = SlotRing.consumer(memory, 8);
        for (int i = 0; i < 8; i++) {
            producer.post(i, 0, 0, 0, 0, 0, 0);
        }
        consumer.peek(4);
        consumer.consume(4);
        assertThat(producer.free(8)).isEqualTo(4);
        memory.segment().set(ValueLayout.JAVA_LONG, 0, 3L);
        assertThat(producer.free(8)).isEqualTo(4);
        assertThat(producer.faults()).isEqualTo(1);
    }

    @Test
    void sequenceOfAnotherLapIsNotAMessage() {
        PinnedMemory memory = PinnedMemory.allocate(SlotRing.sizeBytes(8));
        SlotRingConsumer consumer = SlotRing.consumer(memory, 8);
        for (long wrong : new long[] { 0, 2, 9, -1, 1L << 32 | 1, Long.MIN_VALUE }) {
            memory.segment().set(ValueLayout.JAVA_LONG, SlotRing.SLOTS_OFFSET, wrong);
            assertThat(consumer.peek(8)).as("sequence %d", wrong).isZero();
        }
        memory.segment().set(ValueLayout.JAVA_LONG, SlotRing.SLOTS_OFFSET, 1L);
        assertThat(consumer.peek(8)).isEqualTo(1);
    }

    @Test
    void randomBytesNeverThrowNorLeaveTheRing() {
        long seed = System.nanoTime();
        System.out.println("SlotRingHostileTest.randomBytesNeverThrowNorLeaveTheRing seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        long size = SlotRing.sizeBytes(CAPACITY);
        PinnedMemory whole = PinnedMemory.allocate(size + 2 * GUARD_BYTES);
        MemorySegment all = whole.segment();
        all.fill(GUARD);
        PinnedMemory memory = whole.slice(GUARD_BYTES, size);
        SlotRing.clear(memory, CAPACITY);
        SlotRingProducer producer = SlotRing.producer(memory, CAPACITY);
        SlotRingConsumer consumer = SlotRing.consumer(memory, CAPACITY);
        long accepted = 0;
        for (int round = 0; round < 200_000; round++) {
            scribble(random, memory.segment(), round);
            accepted += produce(random, producer) + drain(random, consumer);
        }
        assertThat(accepted).as("the fuzz got past the checks sometimes").isPositive();
        assertGuard(all.asSlice(0, GUARD_BYTES));
        assertGuard(all.asSlice(GUARD_BYTES + size));
    }

    /** Either noise or a value close to what the ends expect, which gets further. */
    private static void scribble(SplittableRandom random, MemorySegment memory, int round) {
        long offset = random.nextLong(memory.byteSize() / 8) * 8;
        if (random.nextBoolean()) {
            offset = random.nextBoolean() ? 0 : SlotRing.SLOTS_OFFSET + 64L * random.nextInt(CAPACITY);
        }
        long value = switch (random.nextInt(4)) {
            case 0 -> random.nextLong();
            case 1 -> random.nextLong(2L * round + 1);
            case 2 -> memory.get(ValueLayout.JAVA_LONG, offset) + random.nextInt(-CAPACITY, CAPACITY + 1);
            default -> memory.get(ValueLayout.JAVA_LONG, 0) + random.nextInt(-2, CAPACITY + 2);
        };
        memory.set(ValueLayout.JAVA_LONG, offset, value);
    }

    private static int produce(SplittableRandom random, SlotRingProducer producer) {
        int wanted = random.nextInt(CAPACITY + 1);
        int free = producer.free(wanted);
        assertThat(free).isBetween(0, wanted);
        if (free == 1) {
            producer.post(1, 2, 3, 4, 5, 6, 7);
            return 1;
        }
        for (int i = 0; i < free; i++) {
            producer.write(i, 1, 2, 3, 4, 5, 6, 7);
        }
        producer.commit(free);
        return free;
    }

    private static int drain(SplittableRandom random, SlotRingConsumer consumer) {
        int max = random.nextInt(3 * CAPACITY);
        int found = consumer.peek(max);
        assertThat(found).isBetween(0, Math.min(max, CAPACITY));
        for (int i = 0; i < found; i++) {
            consumer.word(i, random.nextInt(SlotRing.PAYLOAD_WORDS));
        }
        consumer.consume(found);
        return found;
    }

    private static void assertGuard(MemorySegment guard) {
        for (long i = 0; i < guard.byteSize(); i++) {
            assertThat(guard.get(ValueLayout.JAVA_BYTE, i)).isEqualTo(GUARD);
        }
    }
}
