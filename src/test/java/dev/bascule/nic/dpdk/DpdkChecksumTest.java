package dev.bascule.nic.dpdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which checksums a card is asked for; no library is needed. */
class DpdkChecksumTest {
    private static final long CAN = DpdkLayout.OFFLOAD_UDP_CHECKSUM | DpdkLayout.OFFLOAD_TCP_CHECKSUM;

    private final MemorySegment packet = Arena.ofAuto().allocate(DpdkLayout.MBUF_BYTES, 64);

    private boolean ask(int start, int distance, long can) {
        return DpdkChecksum.ask(packet.address(), distance << 8 | start, can);
    }

    @Test
    void aCardThatCanIsAsked() {
        assertThat(ask(34, 6, CAN)).isTrue();
        assertThat(packet.get(ValueLayout.JAVA_LONG, DpdkLayout.MBUF_FLAGS)).isEqualTo(3L << 52 | 1L << 55);
        assertThat(packet.get(ValueLayout.JAVA_LONG, DpdkLayout.MBUF_TX_OFFLOAD)).isEqualTo(14 | 20 << 7);
    }

    @ParameterizedTest
    @CsvSource({ "38, 6, true", "34, 10, true", "34, 6, false", "34, 16, false" }) // the first is behind a VLAN tag
    void oneThatCannotIsNot(int start, int distance, boolean can) {
        assertThat(ask(start, distance, can ? CAN : 0)).isFalse();
        assertThat(packet.get(ValueLayout.JAVA_LONG, DpdkLayout.MBUF_FLAGS)).isZero();
    }
}
