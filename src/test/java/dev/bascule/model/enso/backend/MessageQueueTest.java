package dev.bascule.model.enso.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class MessageQueueTest {
    private final MemorySegment memory = Arena.ofAuto().allocate(4 * 64, 64);
    private final MessageQueue producer = new MessageQueue(memory);
    private final MessageQueue consumer = new MessageQueue(memory);

    @Test
    void messagesArriveInOrderAndWrap() {
        for (int i = 0; i < 100; i++) {
            assertThat(producer.offer(i % 10, i, -i)).isTrue();
            assertThat(consumer.poll()).isTrue();
            assertThat(consumer.kind()).isEqualTo(i % 10);
            assertThat(consumer.a()).isEqualTo(i);
            assertThat(consumer.b()).isEqualTo(-i);
            assertThat(consumer.poll()).isFalse();
        }
    }

    @Test
    void aFullQueueTakesNothingUntilASlotIsFree() {
        for (int i = 0; i < 4; i++) {
            assertThat(producer.offer(0, i, 0)).isTrue();
        }
        assertThat(producer.offer(0, 4, 0)).isFalse();
        assertThat(consumer.poll()).isTrue();
        assertThat(producer.offer(0, 4, 0)).isTrue();
    }

    @Test
    void slotsHaveTheLayoutOfTheLibrary() {
        producer.offer(3, 0x1122, 0x3344);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 8)).isEqualTo((byte) 3);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 16)).isEqualTo(0x1122);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 24)).isEqualTo(0x3344);
    }

    @Test
    void onlyTheLowByteOfTheKindCounts() {
        memory.set(ValueLayout.JAVA_LONG, 8, 0xDEAD_BEEF_0000_0102L);
        memory.set(ValueLayout.JAVA_LONG, 0, 77);
        assertThat(consumer.poll()).isTrue();
        assertThat(consumer.kind()).isEqualTo(2);
    }

    @Test
    void aProducerThatBeginsAtTheFirstSlotIsToldFromOneThatGoesOn() {
        for (int i = 0; i < 12; i++) {
            assertThat(consumer.startedAnew()).as("after %d", i).isFalse();
            producer.offer(0, i, 0);
            assertThat(consumer.startedAnew()).as("message %d", i).isFalse();
            assertThat(consumer.poll()).isTrue();
        }
        producer.offer(0, 12, 0);
        consumer.poll();
        MessageQueue later = new MessageQueue(memory);
        later.offer(0, 99, 0);
        assertThat(consumer.startedAnew()).isTrue();
        later.clear();
        assertThat(consumer.startedAnew()).isFalse();
        assertThat(new MessageQueue(memory).poll()).isFalse();
    }
}
