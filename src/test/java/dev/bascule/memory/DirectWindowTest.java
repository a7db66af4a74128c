package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class DirectWindowTest {
    @Test
    void storesAreLittleEndianInTheSegment() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(128, 64);
            DirectWindow window = new DirectWindow(segment);
            window.storeRelease(64, 0x0102030405060708L);
            window.writeFence();
            window.invalidateLine(64);
            window.prefetchLine(64);
            assertThat(segment.get(ValueLayout.JAVA_BYTE, 64)).isEqualTo((byte) 8);
            assertThat(window.loadAcquire(64)).isEqualTo(0x0102030405060708L);
            assertThat(window.type()).isEqualTo(MemoryType.WB);
            assertThat(window.sizeBytes()).isEqualTo(128);
            assertThat(window.arrived(64)).isTrue();
        }
    }

    @Test
    void offsetsOutsideOrUnalignedAreExceptions() {
        try (Arena arena = Arena.ofConfined()) {
            DirectWindow window = new DirectWindow(arena.allocate(128, 64));
            assertThatThrownBy(() -> window.loadAcquire(128)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> window.loadAcquire(-8)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> window.storeRelease(Long.MAX_VALUE, 1))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> window.storeRelease(4, 1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void heapUnalignedAndReadOnlyMemoryIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            assertThatThrownBy(() -> new DirectWindow(MemorySegment.ofArray(new long[8])))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> new DirectWindow(arena.allocate(128, 64).asSlice(4)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> new DirectWindow(arena.allocate(128, 64).asReadOnly()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
