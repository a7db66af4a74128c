package dev.bascule.nic.dpdk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.DpdkLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checksums on the way out, by the card where it can, and else here; no library is needed. */
class DpdkChecksumTest {
    private static final long CAN = DpdkLayout.OFFLOAD_UDP_CHECKSUM | DpdkLayout.OFFLOAD_TCP_CHECKSUM;

    private final MemorySegment packet = Arena.ofAuto().allocate(DpdkLayout.MBUF_BYTES + 2048L, 64);

    private void insert(int lengthBytes, int start, int distance, long can) {
        DpdkChecksum.insert(packet.address(), DpdkLibrary.everything(), packet.address() + DpdkLayout.MBUF_BYTES,
                lengthBytes, distance << 8 | start, can);
    }

    private byte[] fill(int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        new Random(lengthBytes).nextBytes(bytes);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, packet, DpdkLayout.MBUF_BYTES, lengthBytes);
        return bytes;
    }

    @ParameterizedTest
    @CsvSource({ "64, 34, 6", "65, 34, 16", "1518, 14, 10", "127, 33, 7" })
    void theSumFromTheStartWithTheFieldGoesInvertedIntoTheField(int lengthBytes, int start, int distance) {
        byte[] bytes = fill(lengthBytes);
        long sum = 0;
        for (int i = start; i < lengthBytes; i++) {
            sum += (i - start) % 2 == 0 ? (bytes[i] & 0xFF) << 8 : bytes[i] & 0xFF;
        }
        while (sum > 0xFFFF) {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        insert(lengthBytes, start, distance, 0);
        bytes[start + distance] = (byte) (~sum >> 8);
        bytes[start + distance + 1] = (byte) ~sum;
        assertThat(packet.asSlice(DpdkLayout.MBUF_BYTES, lengthBytes).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
        assertThat(packet.get(ValueLayout.JAVA_LONG, DpdkLayout.MBUF_FLAGS)).isZero();
    }

    @Test
    void aCardThatCanIsAsked() {
        byte[] bytes = fill(64);
        insert(64, 34, 6, CAN);
        assertThat(packet.get(ValueLayout.JAVA_LONG, DpdkLayout.MBUF_FLAGS)).isEqualTo(3L << 52 | 1L << 55);
        assertThat(packet.get(ValueLayout.JAVA_LONG, DpdkLayout.MBUF_TX_OFFLOAD)).isEqualTo(14 | 20 << 7);
        assertThat(packet.asSlice(DpdkLayout.MBUF_BYTES, 64).toArray(ValueLayout.JAVA_BYTE)).as("left to the card")
                .isEqualTo(bytes);
    }

    @Test
    void whatItCannotIsDoneHereAndAFieldOutsideIsLeft() {
        byte[] bytes = fill(64);
        insert(64, 38, 6, CAN); // behind a VLAN tag
        assertThat(packet.get(ValueLayout.JAVA_LONG, DpdkLayout.MBUF_FLAGS)).isZero();
        assertThat(packet.asSlice(DpdkLayout.MBUF_BYTES, 64).toArray(ValueLayout.JAVA_BYTE)).isNotEqualTo(bytes);
        bytes = fill(40);
        insert(40, 34, 6, 0);
        assertThat(packet.asSlice(DpdkLayout.MBUF_BYTES, 40).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
    }
}
