package dev.bascule.model.corundum;

import dev.bascule.nic.corundum.MqnicFormats;
import java.util.HexFormat;

/** The Toeplitz hash over up to 12 bytes with the design's fixed key, one table look-up per byte. */
final class Toeplitz {
    static final int MAX_BYTES = 12;
    private static final int[] TABLE = table(HexFormat.of().parseHex(MqnicFormats.HASH_KEY));

    private Toeplitz() {}

    /** @param lengthBytes at most {@link #MAX_BYTES} */
    static int hash(byte[] data, int offset, int lengthBytes) {
        int hash = 0;
        for (int i = 0; i < lengthBytes; i++) {
            hash ^= TABLE[i << 8 | data[offset + i] & 0xFF];
        }
        return hash;
    }

    private static int[] table(byte[] key) {
        int[] table = new int[MAX_BYTES << 8];
        for (int position = 0; position < MAX_BYTES; position++) {
            for (int value = 0; value < 256; value++) {
                int hash = 0;
                for (int bit = 0; bit < 8; bit++) {
                    if ((value & 0x80 >> bit) != 0) {
                        hash ^= keyWindow(key, position * 8 + bit);
                    }
                }
                table[position << 8 | value] = hash;
            }
        }
        return table;
    }

    /** 32 bits of the key from {@code bit} on. */
    private static int keyWindow(byte[] key, int bit) {
        long window = 0;
        for (int i = 0; i < 5; i++) {
            window = window << 8 | key[(bit >> 3) + i] & 0xFF;
        }
        return (int) (window >> 8 - (bit & 7));
    }
}
