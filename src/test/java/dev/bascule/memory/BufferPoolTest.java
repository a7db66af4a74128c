package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BufferPoolTest {
    private static final int BYTES = 2048;

    private final MemorySegment memory = Arena.ofAuto().allocate(16 * BYTES + 100, 64);

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void behavesAsAStackOfDistinctBuffers(boolean debug) {
        long seed = System.nanoTime();
        System.out.println("BufferPoolTest seed " + seed);
        Random random = new Random(seed);
        BufferPool pool = new BufferPool(memory, BYTES, debug);
        assertThat(pool.capacity()).isEqualTo(16);
        Deque<Integer> held = new ArrayDeque<>();
        int lastGiven = BufferPool.NONE;
        for (int step = 0; step < 10_000; step++) {
            if (random.nextBoolean()) {
                int index = pool.take();
                if (held.size() == 16) {
                    assertThat(index).isEqualTo(BufferPool.NONE);
                    continue;
                }
                assertThat(held).doesNotContain(index);
                if (lastGiven != BufferPool.NONE) {
                    assertThat(index).as("last in, first out").isEqualTo(lastGiven);
                }
                pool.segment(index).fill((byte) step);
                held.add(index);
                lastGiven = BufferPool.NONE;
            } else if (!held.isEmpty()) {
                lastGiven = random.nextBoolean() ? held.removeFirst() : held.removeLast();
                pool.give(lastGiven);
            }
            assertThat(pool.available()).isEqualTo(16 - held.size());
        }
    }

    @Test
    void offsetsAndSegmentsAgree() {
        BufferPool pool = new BufferPool(memory, BYTES, false);
        int[] indices = new int[20];
        assertThat(pool.take(indices, 20)).isEqualTo(16);
        assertThat(pool.take()).isEqualTo(BufferPool.NONE);
        for (int index : Arrays.copyOf(indices, 16)) {
            assertThat(pool.segment(index).address()).isEqualTo(memory.address() + pool.offset(index));
            assertThat(pool.segment(index).byteSize()).isEqualTo(BYTES);
            assertThat(pool.indexOf(pool.offset(index) + BYTES - 1)).isEqualTo(index);
        }
        assertThat(Arrays.stream(indices, 0, 16).distinct().count()).isEqualTo(16);
        assertThatThrownBy(() -> pool.indexOf(16L * BYTES)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> pool.indexOf(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void doubleFreeIsFoundInDebugMode() {
        BufferPool pool = new BufferPool(memory, BYTES, true);
        int index = pool.take();
        pool.take();
        pool.give(index);
        assertThatThrownBy(() -> pool.give(index)).isInstanceOf(IllegalStateException.class)
                .hasMessage("buffer " + index + " given back twice");
    }

    @Test
    void moreGivenThanTakenIsFoundAlways() {
        BufferPool pool = new BufferPool(memory, BYTES, false);
        assertThatThrownBy(() -> pool.give(3)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("full pool");
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void foreignBufferIsFoundAlways(boolean debug) {
        BufferPool pool = new BufferPool(memory, BYTES, debug);
        pool.take();
        assertThatThrownBy(() -> pool.give(16)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> pool.give(BufferPool.NONE)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(pool.available()).isEqualTo(15);
    }

    @Test
    void writeAfterFreeIsFoundWhenTakenAgainInDebugMode() {
        BufferPool pool = new BufferPool(memory, BYTES, true);
        int index = pool.take();
        MemorySegment stale = pool.segment(index);
        pool.give(index);
        stale.set(ValueLayout.JAVA_BYTE, 1234, (byte) 1);
        assertThatThrownBy(pool::take).isInstanceOf(IllegalStateException.class)
                .hasMessage("buffer " + index + " was written at byte 1234 while it was free");
    }

    @Test
    void lookingAtAFreeBufferIsFoundInDebugMode() {
        BufferPool pool = new BufferPool(memory, BYTES, true);
        int index = pool.take();
        pool.give(index);
        assertThatThrownBy(() -> pool.segment(index)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("used while it is free");
    }

    @Test
    void takeAndGiveAllocateNothing() {
        BufferPool pool = new BufferPool(memory, BYTES, false);
        var threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        int[] batch = new int[8];
        churn(pool, batch);
        long before = threads.getCurrentThreadAllocatedBytes();
        churn(pool, batch);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).as("bytes for 80,000 buffers").isLessThan(4096);
    }

    @Test
    void senselessPoolsAreRefused() {
        assertThatThrownBy(() -> new BufferPool(memory, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BufferPool(memory, 100)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BufferPool(memory, 1 << 20)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closedMemoryIsAnException() {
        DmaBuffer buffer = DmaBuffer.allocate("pool", 1 << 16, DmaBuffer.Locking.PREFERRED);
        BufferPool pool = new BufferPool(buffer.segment(), BYTES, false);
        int index = pool.take();
        buffer.close();
        assertThatThrownBy(() -> pool.segment(index).set(ValueLayout.JAVA_BYTE, 0, (byte) 1))
                .isInstanceOf(IllegalStateException.class);
    }

    private static void churn(BufferPool pool, int[] batch) {
        for (int i = 0; i < 10_000; i++) {
            int got = pool.take(batch, batch.length);
            for (int k = 0; k < got; k++) {
                pool.segment(batch[k]).set(ValueLayout.JAVA_BYTE, 0, (byte) i);
                pool.give(batch[k]);
            }
        }
    }
}
