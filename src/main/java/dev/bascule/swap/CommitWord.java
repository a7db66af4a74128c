package dev.bascule.swap;

/**
 * The word whose store commits a swap: epoch 16, n 32, slot 1, check 15. The check is CRC-15/CAN (Hamming distance 6 at
 * this length: up to five flipped bits are always found), started from a layout version, so that a zeroed word and a
 * word of another version read as damaged too.
 */
final class CommitWord {
    private static final int POLYNOMIAL = 0x4599;
    /** Changes with the layout of {@link CellRecord}. */
    private static final int VERSION = 0x2B5D;
    private static final int DATA_BYTES = 7;
    private static final char[][] TABLES = tables();

    private CommitWord() {}

    static long of(int epoch, long n, int slot) {
        long data = (long) (epoch & 0xFFFF) << 33 | (n & 0xFFFF_FFFFL) << 1 | slot & 1;
        return data << 15 | check(data);
    }

    static boolean intact(long word) {
        return (word & 0x7FFF) == check(word >>> 15);
    }

    static int epoch(long word) {
        return (int) (word >>> 48) & 0xFFFF;
    }

    static long n(long word) {
        return word >>> 16 & 0xFFFF_FFFFL;
    }

    static int slot(long word) {
        return (int) (word >>> 15) & 1;
    }

    /** CRC is linear: the checks of the bytes, each with zeros after it, add up. */
    private static int check(long data) {
        int crc = VERSION;
        for (int i = 0; i < DATA_BYTES; i++) {
            crc ^= TABLES[i][(int) (data >>> 8 * i) & 0xFF];
        }
        return crc;
    }

    private static char[][] tables() {
        char[][] tables = new char[DATA_BYTES][256];
        for (int i = 0; i < DATA_BYTES; i++) {
            for (int value = 0; value < 256; value++) {
                tables[i][value] = (char) remainder((long) value << 8 * i);
            }
        }
        return tables;
    }

    private static int remainder(long data) {
        int crc = 0;
        for (int bit = 8 * DATA_BYTES - 1; bit >= 0; bit--) {
            int carry = crc >>> 14 & 1 ^ (int) (data >>> bit) & 1;
            crc = crc << 1 & 0x7FFF ^ (carry == 0 ? 0 : POLYNOMIAL);
        }
        return crc;
    }
}
