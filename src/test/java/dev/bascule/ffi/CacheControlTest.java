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
            assertThat(CacheControl.instance()).isNotNull();
        } else {
            assertThat(CacheControl.reason()).contains("scripts/build-native");
            assertThat(CacheControl.instance()).isNull();
        }
    }

    @Test
    void flushedLinesKeepTheirContent() {
        CacheControl cache = CacheControl.instance();
        assumeTrue(cache != null, CacheControl.reason());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment lines = arena.allocate(256, 64);
            for (long offset = 0; offset < 256; offset += 8) {
                lines.set(ValueLayout.JAVA_LONG, offset, offset);
            }
            cache.storeFence();
            for (long offset = 0; offset < 256; offset += 64) {
                cache.flushLine(lines, offset);
                cache.prefetchLine(lines, offset + 63);
            }
            for (long offset = 0; offset < 256; offset += 8) {
                assertThat(lines.get(ValueLayout.JAVA_LONG, offset)).isEqualTo(offset);
            }
        }
    }

    @Test
    void memoryOutsideOrClosedIsAnException() {
        CacheControl cache = CacheControl.instance();
        assumeTrue(cache != null, CacheControl.reason());
        Arena arena = Arena.ofConfined();
        MemorySegment line = arena.allocate(64, 64);
        assertThatThrownBy(() -> cache.flushLine(line, 64)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> cache.flushLine(line, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> cache.flushLine(MemorySegment.NULL, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> cache.flushLine(MemorySegment.ofArray(new long[8]), 0))
                .isInstanceOf(IllegalArgumentException.class);
        arena.close();
        assertThatThrownBy(() -> cache.flushLine(line, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> cache.prefetchLine(line, 0)).isInstanceOf(IllegalStateException.class);
    }
}
