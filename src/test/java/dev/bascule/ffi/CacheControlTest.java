package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class CacheControlTest {
    @Test
    void absenceIsReportedWithTheCommand() {
        if (CacheControl.available()) {
            assertThat(CacheControl.reason()).startsWith("from ").endsWith("libbascule_cache.so");
        } else {
            assertThat(CacheControl.reason()).contains("scripts/build-native");
            assertThatThrownBy(CacheControl::storeFence).isInstanceOf(UnsupportedOperationException.class)
                    .hasMessage(CacheControl.reason());
        }
    }

    @Test
    void flushedLinesKeepTheirContent() {
        assumeTrue(CacheControl.available(), CacheControl.reason());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment lines = arena.allocate(256, 64);
            for (long offset = 0; offset < 256; offset += 8) {
                lines.set(ValueLayout.JAVA_LONG, offset, offset);
            }
            CacheControl.storeFence();
            for (long offset = 0; offset < 256; offset += 64) {
                CacheControl.flushLine(lines, offset);
                CacheControl.prefetchLine(lines, offset + 63);
            }
            for (long offset = 0; offset < 256; offset += 8) {
                assertThat(lines.get(ValueLayout.JAVA_LONG, offset)).isEqualTo(offset);
            }
        }
    }

    @Test
    void memoryOutsideOrClosedIsAnException() {
        assumeTrue(CacheControl.available(), CacheControl.reason());
        Arena arena = Arena.ofConfined();
        MemorySegment line = arena.allocate(64, 64);
        assertThatThrownBy(() -> CacheControl.flushLine(line, 64)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> CacheControl.flushLine(line, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> CacheControl.flushLine(MemorySegment.NULL, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> CacheControl.flushLine(MemorySegment.ofArray(new long[8]), 0))
                .isInstanceOf(IllegalArgumentException.class);
        arena.close();
        assertThatThrownBy(() -> CacheControl.flushLine(line, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> CacheControl.prefetchLine(line, 0)).isInstanceOf(IllegalStateException.class);
    }
}
