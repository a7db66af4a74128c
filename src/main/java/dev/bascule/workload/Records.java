package dev.bascule.workload;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Layout of our records. Key: index, 8 bytes big-endian, so that the order of keys is the order of indexes. Value:
 * index, filler made from seed and index, CRC-32C of all before it.
 */
final class Records {
    static final int KEY_BYTES = 8;
    static final int MIN_VALUE_BYTES = 24;

    private Records() {}

    static void putKey(ByteBuffer key, long index) {
        key.clear();
        key.putLong(0, index);
        key.limit(KEY_BYTES);
    }

    static void putValue(ByteBuffer value, int valueBytes, long seed, long index, CRC32C crc) {
        value.clear();
        value.putLong(0, index);
        for (int at = 8; at < valueBytes - 8; at += 8) {
            value.putLong(at, mix(seed + index * 0x9E3779B97F4A7C15L + at));
        }
        value.putLong(valueBytes - 8, checksum(value, valueBytes, crc));
        value.position(0).limit(valueBytes);
    }

    /** Whether this buffer holds, from 0 on, the whole and undamaged value of this index. */
    static boolean isValueOf(ByteBuffer value, int foundBytes, int valueBytes, long index, CRC32C crc) {
        return foundBytes == valueBytes && value.getLong(0) == index
                && value.getLong(valueBytes - 8) == checksum(value, valueBytes, crc);
    }

    private static long checksum(ByteBuffer value, int valueBytes, CRC32C crc) {
        value.position(0).limit(valueBytes - 8);
        crc.reset();
        crc.update(value);
        value.clear();
        return crc.getValue();
    }

    /** Spreads a number over all 64 bits (the finaliser of SplitMix64). */
    static long mix(long z) {
        long a = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        long b = (a ^ a >>> 27) * 0x94D049BB133111EBL;
        return b ^ b >>> 31;
    }
}
