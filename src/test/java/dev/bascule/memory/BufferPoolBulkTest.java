package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BufferPoolBulkTest {
    private static BufferPool pool(boolean debug) {
        return new BufferPool(Arena.ofAuto().allocate(8 * 64), 64, debug);
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void manyAreTakenAndGivenAtOnce(boolean debug) {
        BufferPool pool = pool(debug);
        int[] taken = new int[10];
        pool.take(taken, 2, 8);
        assertThat(taken).containsExactly(0, 0, 7, 6, 5, 4, 3, 2, 1, 0);
        assertThat(pool.available()).isZero();
        for (int i = 0; i < taken.length; i++) {
            taken[i] |= 3 << 20; // a mark of whoever keeps them
        }
        pool.give(taken, 2, 5, 0xFFFF);
        assertThat(pool.available()).isEqualTo(5);
        assertThat(pool.take()).as("last in, first out").isEqualTo(3);
        pool.give(taken, 7, 3, 0xFFFF);
        pool.give(3);
        assertThat(pool.available()).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void moreThanThereAreIsRefusedAndTakesNone(boolean debug) {
        BufferPool pool = pool(debug);
        assertThatThrownBy(() -> pool.take(new int[20], 0, 9)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(pool.available()).isEqualTo(8);
        pool.take(new int[4], 0, 4);
        assertThatThrownBy(() -> pool.take(new int[20], 0, 5)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(pool.available()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void foreignAndSurplusBuffersAreRefused(boolean debug) {
        BufferPool pool = pool(debug);
        assertThatThrownBy(() -> pool.give(new int[] { 0, 1 }, 0, 2, 0xFF)).isInstanceOf(IllegalStateException.class);
        int[] taken = new int[8];
        pool.take(taken, 0, 8);
        assertThatThrownBy(() -> pool.give(new int[] { 8 }, 0, 1, 0xFF)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(pool.available()).isZero();
        pool.give(taken, 0, 8, -1);
        assertThat(pool.available()).isEqualTo(8);
    }
}
