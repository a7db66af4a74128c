package dev.bascule.nic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checksum that a driver inserts where the card does not. */
class SoftwareChecksumTest {
    private static final int BUFFER_BYTES = 64;

    private final PacketPool pool = PacketPool.allocate("checksums", 32, BUFFER_BYTES);

    @AfterEach
    void close() {
        pool.close();
    }

    /** The packet after the insertion, cut into entries of at most so many bytes. */
    private byte[] inserted(byte[] packet, int entryBytes, int start, int distance) {
        PacketBatch batch = new PacketBatch(32);
        int entries = (packet.length + entryBytes - 1) / entryBytes;
        assertThat(pool.take(batch, entries)).isEqualTo(entries);
        for (int i = 0; i < entries; i++) {
            int part = Math.min(entryBytes, packet.length - i * entryBytes);
            pool.segment().asSlice(batch.offset(i), part)
                    .copyFrom(java.lang.foreign.MemorySegment.ofArray(packet).asSlice((long) i * entryBytes, part));
            batch.setLength(i, part);
            batch.setMore(i, i + 1 < entries);
        }
        batch.requestChecksum(0, start, start + distance);
        PacketWriter.insertChecksum(batch, 0);
        byte[] out = new byte[packet.length];
        for (int i = 0; i < entries; i++) {
            pool.segment().asSlice(batch.offset(i), batch.length(i)).asByteBuffer().get(out, i * entryBytes,
                    batch.length(i));
        }
        batch.release();
        return out;
    }

    /** Byte for byte, as RFC 1071 says it. */
    private static int sum(byte[] bytes, int from) {
        int sum = 0;
        for (int i = from; i < bytes.length; i++) {
            sum += (bytes[i] & 0xFF) << ((i - from & 1) == 0 ? 8 : 0);
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        return sum;
    }

    @ParameterizedTest
    @CsvSource({ "64, 64, 34, 6", "65, 64, 34, 16", "1518, 64, 14, 10", "127, 61, 33, 7", "200, 7, 63, 0",
            "90, 41, 34, 6", "300, 64, 127, 127", "60, 2, 34, 16" })
    void theSumFromTheStartWithTheFieldGoesInvertedIntoTheField(int lengthBytes, int entryBytes, int start,
            int distance) {
        byte[] packet = new byte[lengthBytes];
        new Random(lengthBytes).nextBytes(packet);
        byte[] expected = packet.clone();
        int sum = ~sum(packet, start);
        expected[start + distance] = (byte) (sum >> 8);
        expected[start + distance + 1] = (byte) sum;
        assertThat(inserted(packet, entryBytes, start, distance)).isEqualTo(expected);
    }

    @Test
    void aFieldThatReachesOutOfThePacketStays() {
        byte[] packet = new byte[41];
        Arrays.fill(packet, (byte) 3);
        assertThat(inserted(packet, 41, 34, 6)).isEqualTo(packet);
        assertThat(inserted(packet, 41, 60, 6)).isEqualTo(packet);
    }
}
