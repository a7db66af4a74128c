package dev.bascule.nic;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Lengths read from packets, of every kind, and from rubbish. */
class PacketFormatTest {
    private final byte[] bytes = new byte[256];
    private final MemorySegment memory = MemorySegment.ofArray(bytes);

    private void put(int at, int value) {
        bytes[at] = (byte) (value >>> 8);
        bytes[at + 1] = (byte) value;
    }

    private int length() {
        return PacketFormat.packetBytes(memory, 0, 64);
    }

    @Test
    void plainPacketsOfEachKind() {
        put(12, 0x0800);
        put(16, 100);
        assertThat(length()).isEqualTo(114);
        put(12, 0x86DD);
        put(18, 1000);
        assertThat(length()).isEqualTo(1054);
        put(12, 0x0806);
        assertThat(length()).isEqualTo(42);
        put(12, 300);
        assertThat(length()).isEqualTo(314);
    }

    @Test
    void taggedPackets() {
        put(12, 0x8100);
        put(16, 0x0800);
        put(20, 50);
        assertThat(length()).isEqualTo(68);
        put(12, 0x88A8);
        put(16, 0x8100);
        put(20, 0x86DD);
        put(26, 8);
        assertThat(length()).isEqualTo(70);
    }

    @Test
    void whatCannotBeToldIsMalformed() {
        put(12, 0x88CC);
        assertThat(length()).isEqualTo(-1);
        assertThat(PacketFormat.INSTANCE.lengthBytes(memory, 0, 64)).isEqualTo(MessageFormat.MALFORMED);
        put(12, 0x0800);
        assertThat(PacketFormat.packetBytes(memory, 0, 32)).isEqualTo(-1);
    }

    @Test
    void anyBytesGiveALengthOrNone() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 100_000; i++) {
            random.nextBytes(bytes);
            int found = length();
            assertThat(found).as("seed %d", seed).isBetween(-1, 65535 + 62);
            assertThat(PacketFormat.padded(Math.max(found, 0)) % 64).isZero();
        }
    }
}
