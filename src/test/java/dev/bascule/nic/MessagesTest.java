package dev.bascule.nic;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** The walk over messages of a user's format, and packets found in a stream. */
class MessagesTest {
    /** A byte of length, counting itself, in units of 16 bytes; 0xFF is no message. */
    private static final MessageFormat FORMAT = (memory, offset, available) -> {
        int units = memory.get(ValueLayout.JAVA_BYTE, offset) & 0xFF;
        return units == 0xFF ? MessageFormat.MALFORMED : units * 16L;
    };

    private final PipeStub pipe = new PipeStub(4096);
    private final Messages messages = new Messages(FORMAT);

    @Test
    void messagesNeedNotAlignWithTheQuantum() {
        pipe.arrive(2, 32).arrive(3, 48).arrive(2, 32).arrive(1, 16);
        messages.start(pipe, 3);
        assertThat(messages.next()).isTrue();
        assertThat(messages.next()).isTrue();
        assertThat(messages.offset()).isEqualTo(32);
        assertThat(messages.lengthBytes()).isEqualTo(48);
        assertThat(messages.next()).isTrue();
        assertThat(messages.next()).isFalse(); // the limit
        assertThat(messages.passedBytes()).isEqualTo(112);
        assertThat(messages.end()).isEqualTo(128);
    }

    @Test
    void anIncompleteMessageWaits() {
        pipe.arrive(8, 64);
        messages.start(pipe, 10);
        assertThat(messages.next()).isFalse();
        assertThat(messages.stuck()).isFalse();
        pipe.arrive(0, 64);
        messages.start(pipe, 10);
        assertThat(messages.next()).isTrue();
        assertThat(messages.lengthBytes()).isEqualTo(128);
    }

    @Test
    void aMessageLargerThanThePipeIsToldNotWaitedFor() {
        MessageFormat large = (memory, offset, available) -> 4096;
        Messages walk = new Messages(large);
        pipe.arrive(1, 64);
        walk.start(pipe, 10);
        assertThat(walk.next()).isFalse();
        assertThat(walk.stuck()).isTrue();
        assertThat(walk.tooLong()).isEqualTo(1);
        assertThat(walk.end()).isZero();
    }

    @Test
    void malformedBytesEndTheBatch() {
        pipe.arrive(1, 16).arrive(0xFF, 48).arrive(1, 64);
        messages.start(pipe, 10);
        assertThat(messages.next()).isTrue();
        assertThat(messages.next()).isFalse();
        assertThat(messages.malformed()).isEqualTo(1);
        assertThat(messages.end()).isEqualTo(128);
    }

    @Test
    void nothingArrivedIsNoMessage() {
        messages.start(pipe, 10);
        assertThat(messages.next()).isFalse();
        assertThat(messages.end()).isZero();
    }
}
