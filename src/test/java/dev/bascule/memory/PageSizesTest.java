package dev.bascule.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;

class PageSizesTest {
    private static final List<String> SMAPS = """
            7f0000000000-7f0000200000 rw-s 00000000 00:0f 12 /memfd:a (deleted)
            Size:               2048 kB
            KernelPageSize:     2048 kB
            MMUPageSize:        2048 kB
            7f0000200000-7f0000201000 rw-s 00000000 00:0f 13 /memfd:b (deleted)
            KernelPageSize:        4 kB
            7f0000300000-7f0000301000 rw-p 00000000 00:00 0
            KernelPageSize:        4 kB
            """.lines().toList();

    @Test
    void theSmallestPageUnderARangeCounts() {
        assertThat(PageSizes.of(SMAPS, 0x7f0000000000L, 0x7f0000200000L)).isEqualTo(2 << 20);
        assertThat(PageSizes.of(SMAPS, 0x7f0000100000L, 0x7f0000100008L)).isEqualTo(2 << 20);
        assertThat(PageSizes.of(SMAPS, 0x7f00001ff000L, 0x7f0000201000L)).as("into the next mapping").isEqualTo(4096);
    }

    @Test
    void aRangeWithAHoleHasNone() {
        assertThat(PageSizes.of(SMAPS, 0x7f0000200000L, 0x7f0000301000L)).isZero();
        assertThat(PageSizes.of(SMAPS, 0x7e0000000000L, 0x7e0000001000L)).isZero();
    }

    @Test
    void ordinaryMemoryOfThisProcessLiesOnOrdinaryPages() {
        assertThat(PageSizes.of(Arena.ofAuto().allocate(64))).isEqualTo(4096);
    }
}
