package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PinnedWindowTest {
    private final PinnedWindow window = new PinnedWindow(PinnedMemory.allocate(256));

    @Test
    void wordsAndLinesComeBackAndExchangeIfExpected() {
        long[] line = { 1, 2, 3, 4, 5, 6, 7, 8 };
        window.storeLine(64, line, 0);
        long[] copy = new long[9];
        window.loadLine(64, copy, 1);
        assertThat(copy).containsExactly(0L, 1, 2, 3, 4, 5, 6, 7, 8);
        window.storeRelease(248, -1);
        assertThat(window.loadAcquire(248)).isEqualTo(-1);
        assertThat(window.compareAndSet(248, 3, 4)).isFalse();
        assertThat(window.compareAndSet(248, -1, 4)).isTrue();
        assertThat(window.loadAcquire(248)).isEqualTo(4);
        assertThat(window.sizeBytes()).isEqualTo(256);
        assertThat(window.type()).isEqualTo(MemoryType.WB);
    }

    @Test
    void offsetsOutsideOrUnalignedAreExceptions() {
        for (long offset : new long[] { -8, 256, 264, 4, 255, -1, Long.MAX_VALUE - 7, Long.MIN_VALUE }) {
            assertThatThrownBy(() -> window.loadAcquire(offset)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> window.storeRelease(offset, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> window.compareAndSet(offset, 0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
        for (long offset : new long[] { -8, 200, 256, 63 }) {
            assertThatThrownBy(() -> window.loadLine(offset, new long[8], 0))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> window.storeLine(offset, new long[8], 0))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatThrownBy(() -> window.loadLine(0, new long[8], 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> window.storeLine(0, new long[7], 0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void anAccessAfterTheOwnerClosedIsAnExceptionNotACrash() {
        SharedMemory memory = SharedMemory.create("bascule-test", 4096);
        PinnedWindow whole = new PinnedWindow(memory.pinned());
        PinnedWindow part = new PinnedWindow(memory.pinned().slice(1024, 64));
        whole.storeRelease(1024, 5);
        assertThat(part.loadAcquire(0)).isEqualTo(5);
        memory.close();
        for (PinnedWindow one : new PinnedWindow[] { whole, part }) {
            assertThatThrownBy(() -> one.loadAcquire(0)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> one.storeRelease(0, 1)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> one.compareAndSet(0, 0, 1)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> one.loadLine(0, new long[8], 0)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> one.storeLine(0, new long[8], 0)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void crookedMemoryIsRefused() {
        PinnedMemory memory = PinnedMemory.allocate(64);
        assertThatThrownBy(() -> new PinnedWindow(memory.slice(4, 32))).hasMessageContaining("aligned");
    }
}
