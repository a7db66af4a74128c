package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.memory.DirectWindow;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class RegionHeaderTest {
    private static final long AT = 128;
    private static final RegionHeader HEADER = new RegionHeader(RegionHeader.WAVE, new EnclaveShape(3, 12, 3, 64, 2),
            5);

    private final DirectWindow window = new DirectWindow(Arena.ofAuto().allocate(4096, 64));

    @Test
    void comesBackAsWritten() {
        HEADER.write(window, AT);
        assertThat(RegionHeader.read(window, AT, RegionHeader.WAVE)).isEqualTo(HEADER);
    }

    @Test
    void theTopologyComesBackAsWrittenAndAFlatOneIsZeroAsBeforeThereWasOne() {
        RegionHeader sockets = new RegionHeader(RegionHeader.SWAP,
                new EnclaveShape(8, 12, 1, 64, 2, new Topology(8, 2, 2)), 0);
        sockets.write(window, AT);
        assertThat(RegionHeader.read(window, AT, RegionHeader.SWAP)).isEqualTo(sockets);
        HEADER.write(window, AT);
        assertThat(window.loadAcquire(AT + 48)).isZero();
    }

    @Test
    void emptyMemoryIsNoRegion() {
        assertThatThrownBy(() -> RegionHeader.read(window, AT, RegionHeader.WAVE)).isInstanceOf(AgentException.class)
                .hasMessageContaining("no Bascule region");
    }

    @Test
    void everySingleBitOfDamageIsRefused() {
        HEADER.write(window, AT);
        for (int bit = 0; bit < 512; bit++) {
            long offset = AT + (bit >> 6) * 8L;
            long right = window.loadAcquire(offset);
            window.storeRelease(offset, right ^ 1L << bit);
            assertThatThrownBy(() -> RegionHeader.read(window, AT, RegionHeader.WAVE)).as("bit %d", bit)
                    .isInstanceOf(AgentException.class);
            window.storeRelease(offset, right);
        }
    }

    @Test
    void aHeaderCopiedToAnotherPlaceIsRefused() {
        HEADER.write(window, AT);
        for (int i = 0; i < 8; i++) {
            window.storeRelease(1024 + i * 8L, window.loadAcquire(AT + i * 8L));
        }
        assertThatThrownBy(() -> RegionHeader.read(window, 1024, RegionHeader.WAVE))
                .isInstanceOf(AgentException.class).hasMessageContaining("damaged");
    }

    @Test
    void anotherTransportIsRefused() {
        HEADER.write(window, AT);
        assertThatThrownBy(() -> RegionHeader.read(window, AT, RegionHeader.LOCAL)).isInstanceOf(AgentException.class)
                .hasMessageContaining("its host uses transport wave, this agent on-host");
    }

    @Test
    void aHostOfAnotherVersionIsRefused() {
        HEADER.write(window, AT);
        long[] words = new long[8];
        for (int i = 0; i < 7; i++) {
            words[i] = window.loadAcquire(AT + i * 8L);
        }
        words[1] = (long) RegionHeader.WAVE << 32 | (Abi.VERSION + 1) << 8 | (Abi.VERSION + 2);
        window.storeRelease(AT + 8, words[1]);
        window.storeRelease(AT + 56, Lines.digest(words, AT));
        assertThatThrownBy(() -> RegionHeader.read(window, AT, RegionHeader.WAVE)).isInstanceOf(AgentException.class)
                .hasMessageContaining("negotiate ABI");
    }
}
