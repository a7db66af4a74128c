package dev.bascule.model.replay;

import java.util.Arrays;

/**
 * Bytes some nibbles of which may be unspecified (written {@code x}).
 *
 * @param bytes the bytes, unspecified nibbles 0
 * @param mask 0xF per specified nibble
 */
@SuppressWarnings("ArrayRecordComponent")
public record HexPattern(byte[] bytes, byte[] mask) {
    /** Parses two digits a byte; {@link IllegalArgumentException} for anything else. */
    public static HexPattern parse(String hex) {
        if (hex.length() % 2 != 0) {
            throw new IllegalArgumentException("has half a byte");
        }
        byte[] bytes = new byte[hex.length() / 2];
        byte[] mask = new byte[bytes.length];
        for (int i = 0; i < hex.length(); i++) {
            char c = hex.charAt(i);
            int digit = c == 'x' ? 0 : Character.digit(c, 16);
            if (digit < 0 || c > 'x') {
                throw new IllegalArgumentException("has '" + c + "' at " + i + "; expected hex digits or x");
            }
            int shift = i % 2 == 0 ? 4 : 0;
            bytes[i / 2] |= (byte) (digit << shift);
            mask[i / 2] |= (byte) ((c == 'x' ? 0 : 0xF) << shift);
        }
        return new HexPattern(bytes, mask);
    }

    /** Whether every nibble is specified. */
    public boolean exact() {
        for (byte m : mask) {
            if (m != -1) {
                return false;
            }
        }
        return true;
    }

    /** The first byte of {@code actual} (as many bytes as the pattern, from {@code offset}) that differs, or -1. */
    public int firstDifference(byte[] actual, int offset) {
        for (int i = 0; i < bytes.length; i++) {
            if (((bytes[i] ^ actual[offset + i]) & mask[i]) != 0) {
                return i;
            }
        }
        return -1;
    }

    /** A part of the pattern. */
    public HexPattern slice(int from, int to) {
        return new HexPattern(Arrays.copyOfRange(bytes, from, to), Arrays.copyOfRange(mask, from, to));
    }
}
