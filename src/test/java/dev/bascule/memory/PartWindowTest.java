package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class PartWindowTest {
    private final DirectWindow whole = new DirectWindow(Arena.ofAuto().allocate(1024, 64));

    @Test
    void aPartIsItsOwnBytesOfTheWhole() {
        PartWindow part = new PartWindow(whole, 256, 128);
        part.storeRelease(8, 42);
        part.storeLine(64, new long[] { 1, 2, 3, 4, 5, 6, 7, 8 }, 0);
        part.writeFence();
        assertThat(whole.loadAcquire(264)).isEqualTo(42);
        assertThat(whole.loadAcquire(256 + 64 + 56)).isEqualTo(8);
        long[] line = new long[8];
        part.loadLine(64, line, 0);
        assertThat(line).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(part.arrived(0)).isTrue();
        assertThat(part.type()).isEqualTo(MemoryType.WB);
    }

    @Test
    void nothingBesideItIsReached() {
        PartWindow part = new PartWindow(whole, 256, 128);
        assertThatThrownBy(() -> part.loadAcquire(128)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> part.storeRelease(-8, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> part.loadLine(72, new long[8], 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> part.invalidateLine(128)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void aPartThatTheWholeDoesNotHaveIsRefused() {
        for (long[] part : new long[][] { { 0, 0 }, { -8, 8 }, { 1016, 16 }, { 4, 8 }, { 0, 12 },
                { Long.MAX_VALUE - 7, 8 } }) {
            assertThatThrownBy(() -> new PartWindow(whole, part[0], part[1])).as("%d, %d", part[0], part[1])
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }
}
