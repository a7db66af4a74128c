package dev.bascule.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordsTest {
    private static final int BYTES = 256;
    private final CRC32C crc = new CRC32C();

    private ByteBuffer valueOf(long index) {
        ByteBuffer value = ByteBuffer.allocateDirect(BYTES);
        Records.putValue(value, BYTES, 42, index, crc);
        return value;
    }

    @Test
    void aValueIsRecognisedAsItsOwn() {
        assertThat(Records.isValueOf(valueOf(7), BYTES, BYTES, 7, crc)).isTrue();
        assertThat(valueOf(7).remaining()).isEqualTo(BYTES);
    }

    @Test
    void anotherRecordsValueIsNot() {
        assertThat(Records.isValueOf(valueOf(8), BYTES, BYTES, 7, crc)).isFalse();
    }

    @Test
    void aShortOrLongAnswerIsNot() {
        assertThat(Records.isValueOf(valueOf(7), BYTES - 8, BYTES, 7, crc)).isFalse();
        assertThat(Records.isValueOf(valueOf(7), BYTES + 8, BYTES, 7, crc)).isFalse();
    }

    @Test
    void anyFlippedBitIsNoticed() {
        for (int bit = 0; bit < BYTES * 8; bit++) {
            ByteBuffer value = valueOf(7);
            value.put(bit / 8, (byte) (value.get(bit / 8) ^ 1 << bit % 8));
            assertThat(Records.isValueOf(value, BYTES, BYTES, 7, crc)).as("bit %d", bit).isFalse();
        }
    }

    @Test
    void keysSortAsTheirIndexes() {
        ByteBuffer small = ByteBuffer.allocate(8);
        ByteBuffer large = ByteBuffer.allocate(8);
        Records.putKey(small, 255);
        Records.putKey(large, 256);
        assertThat(small.compareTo(large)).isNegative();
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 16, 23, 25, 1 << 21 })
    void valueSizesThatDoNotWorkAreRefused(int bytes) {
        assertThatThrownBy(() -> new RocksDbSetup(null, 1_000, bytes, 1, 0.5, 1, 1))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("multiple of 8");
    }
}
