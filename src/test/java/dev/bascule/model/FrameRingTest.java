package dev.bascule.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameRingTest {
    private static final int DATA = 2 * FrameRing.MAX_FRAME_BYTES;

    private static MemorySegment memory() {
        return Arena.ofAuto().allocate(FrameRing.HEADER_BYTES + DATA, 64);
    }

    private static List<byte[]> pollAll(FrameRing ring) {
        List<byte[]> frames = new ArrayList<>();
        while (ring.poll((data, offset, length) -> frames.add(Arrays.copyOfRange(data, offset, offset + length)),
                3) != 0) {
            // until empty
        }
        return frames;
    }

    @Test
    void framesComeOutAsTheyWentIn() {
        long seed = 7;
        Random random = new Random(seed);
        FrameRing ring = new FrameRing(memory());
        ArrayDeque<byte[]> expected = new ArrayDeque<>();
        for (int i = 0; i < 20_000; i++) {
            byte[] frame = new byte[1 + random.nextInt(i % 50 == 0 ? FrameRing.MAX_FRAME_BYTES : 2000)];
            random.nextBytes(frame);
            if (ring.offer(frame, 0, frame.length)) {
                expected.add(frame);
            } else {
                assertThat(expected).as("refused although empty, seed %d", seed).isNotEmpty();
            }
            if (random.nextInt(10) == 0) {
                for (byte[] got : pollAll(ring)) {
                    assertThat(got).as("seed %d, step %d", seed, i).isEqualTo(expected.remove());
                }
                assertThat(expected).isEmpty();
            }
        }
    }

    @Test
    void emptyAndTooLongFramesAreRefused() {
        FrameRing ring = new FrameRing(memory());
        assertThat(ring.offer(new byte[1], 0, 0)).isFalse();
        assertThat(ring.offer(new byte[FrameRing.MAX_FRAME_BYTES + 1], 0, FrameRing.MAX_FRAME_BYTES + 1)).isFalse();
        assertThat(ring.offer(new byte[FrameRing.MAX_FRAME_BYTES], 0, FrameRing.MAX_FRAME_BYTES)).isTrue();
        assertThat(pollAll(ring)).hasSize(1);
    }

    @Test
    void theBudgetLimitsAPoll() {
        FrameRing ring = new FrameRing(memory());
        for (int i = 0; i < 5; i++) {
            ring.offer(new byte[60], 0, 60);
        }
        assertThat(ring.poll((data, offset, length) -> {}, 2)).isEqualTo(2);
        assertThat(ring.poll((data, offset, length) -> {}, 100)).isEqualTo(3);
        assertThat(ring.poll((data, offset, length) -> {}, 100)).isZero();
    }

    @Test
    void otherSizesAreRefused() {
        assertThatThrownBy(() -> new FrameRing(Arena.ofAuto().allocate(5000)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("power of two");
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, -1, -2, Integer.MIN_VALUE, Integer.MAX_VALUE, FrameRing.MAX_FRAME_BYTES + 1, 1 << 20 })
    void aLengthThatMakesNoSenseEmptiesTheRing(int length) {
        MemorySegment memory = memory();
        FrameRing ring = new FrameRing(memory);
        ring.offer(new byte[60], 0, 60);
        memory.set(ValueLayout.JAVA_INT, FrameRing.HEADER_BYTES, length);
        assertThat(pollAll(ring)).isEmpty();
        assertThat(ring.offer(new byte[] { 42 }, 0, 1)).isTrue();
        assertThat(pollAll(ring)).containsExactly(new byte[] { 42 });
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, -8, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE, DATA + 8 })
    void positionsThatMakeNoSenseNeitherThrowNorHang(long position) {
        MemorySegment memory = memory();
        FrameRing ring = new FrameRing(memory);
        ring.offer(new byte[60], 0, 60);
        memory.set(ValueLayout.JAVA_LONG, 0, position);
        pollAll(ring);
        memory.set(ValueLayout.JAVA_LONG, 128, position);
        pollAll(ring);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 128)).isEqualTo(memory.get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    @Timeout(60)
    void twoThreadsPassFramesInOrder() throws Exception {
        List<WireEnd> ends = Cables.cross();
        int count = 100_000;
        Thread producer = new Thread(() -> {
            byte[] frame = new byte[64];
            for (int i = 0; i < count; i++) {
                frame[0] = (byte) i;
                frame[63] = (byte) (i >> 8);
                while (!ends.get(0).transmit(frame, 0, 64)) {
                    Thread.onSpinWait();
                }
            }
        });
        producer.start();
        int[] next = new int[1];
        while (next[0] < count) {
            ends.get(1).poll((data, offset, length) -> {
                assertThat(data[offset]).isEqualTo((byte) next[0]);
                assertThat(data[offset + 63]).isEqualTo((byte) (next[0] >> 8));
                next[0]++;
            }, 64);
        }
        producer.join();
        assertThat(ends.get(1).poll((data, offset, length) -> {}, 1)).isZero();
    }
}
