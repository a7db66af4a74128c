package dev.bascule.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Window;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole lines in one call have the effect of their eight words one by one. */
class WholeLineTest {
    private static final long LINE = 192;

    private final LinkedMemory memory = LinkedMemory.allocate(Arena.ofAuto(), 4096, LinkProfile.ZERO);
    private final long[] words = { -1, 10, 11, 12, 13, 14, 15, 16, 17, -1 };

    @ParameterizedTest
    @EnumSource(MemoryType.class)
    void aLineStoredAcrossTheLinkIsThereWordByWordAfterTheFence(MemoryType type) {
        Window host = memory.host(type, 1);
        host.storeLine(LINE, words, 1);
        host.writeFence();
        assertWordsAt(memory.owner());
    }

    @ParameterizedTest
    @EnumSource(MemoryType.class)
    void aLineStoredByTheOwnerIsLoadedAcrossTheLink(MemoryType type) {
        memory.owner().storeLine(LINE, words, 1);
        Window host = memory.host(type, 1);
        long[] into = { -1, 0, 0, 0, 0, 0, 0, 0, 0, -1 };
        host.loadLine(LINE, into, 1);
        assertThat(into).isEqualTo(words);
    }

    @Test
    void aCachedLineStaysAsItWasUntilItIsDropped() {
        Window host = memory.host(MemoryType.WT, 1);
        long[] into = new long[8];
        host.loadLine(LINE, into, 0);
        memory.owner().storeLine(LINE, words, 1);
        host.loadLine(LINE, into, 0);
        assertThat(into).containsOnly(0);
        host.invalidateLine(LINE);
        host.loadLine(LINE, into, 0);
        assertThat(into).containsExactly(10, 11, 12, 13, 14, 15, 16, 17);
    }

    @Test
    void wordsAfterAWholeLineWinOverIt() {
        Window host = memory.host(MemoryType.WC, 1);
        host.storeLine(LINE, new long[8], 0);
        for (int i = 0; i < 8; i++) {
            host.storeRelease(LINE + 8L * i, 10 + i);
        }
        host.writeFence();
        assertWordsAt(memory.owner());
    }

    @Test
    void aDirectWindowCopiesWholeLines() {
        Window direct = new DirectWindow(memory.segment());
        direct.storeLine(LINE, words, 1);
        assertWordsAt(direct);
        long[] into = new long[8];
        direct.loadLine(LINE, into, 0);
        assertThat(into).containsExactly(10, 11, 12, 13, 14, 15, 16, 17);
    }

    @Test
    void aDeviceReadsAllOnesWhereNothingIsMapped() {
        MappedRanges ranges = new MappedRanges(Arena.ofAuto().allocate(MappedRanges.BYTES, 8));
        DmaWindow dma = memory.dma(ranges, 1);
        long[] into = new long[8];
        dma.loadLine(LINE, into, 0);
        assertThat(into).containsOnly(-1);
        assertThat(dma.faultCount()).isPositive();
    }

    @Test
    void anOffsetInsideALineOrBehindTheMemoryIsRefused() {
        long[] into = new long[8];
        for (MemoryType type : new MemoryType[] { MemoryType.WT, MemoryType.WC }) {
            Window host = memory.host(type, 1);
            assertThatThrownBy(() -> host.loadLine(4096, into, 0)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> host.storeLine(4096, into, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatThrownBy(() -> memory.host(MemoryType.WC, 1).storeLine(LINE + 8, into, 0))
                .hasMessageContaining("64-byte line");
    }

    private static void assertWordsAt(Window window) {
        for (int i = 0; i < 8; i++) {
            assertThat(window.loadAcquire(LINE + 8L * i)).isEqualTo(10 + i);
        }
    }
}
