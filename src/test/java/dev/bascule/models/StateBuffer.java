package dev.bascule.models;

import java.util.Arrays;

/** A state as bytes, written and read field by field in the same order; small numbers take one byte. */
public final class StateBuffer {
    private byte[] bytes = new byte[256];
    private int length;
    private int at;

    /** Forgets everything written. */
    public StateBuffer clear() {
        length = 0;
        at = 0;
        return this;
    }

    /** Takes the bytes of a state, to be read from the start. */
    public StateBuffer wrap(byte[] state) {
        bytes = state;
        length = state.length;
        at = 0;
        return this;
    }

    /** Appends a number of at least 0, 7 bits a byte. */
    public void put(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("state field " + value + " is negative: intern it");
        }
        if (length + 10 > bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        }
        long rest = value;
        while (rest > 0x7F) {
            bytes[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
    }

    /** Reads the next number. */
    public long get() {
        long value = 0;
        for (int shift = 0;; shift += 7) {
            byte b = bytes[at++];
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return value;
            }
        }
    }

    /** Reads the next number as an int. */
    public int getInt() {
        return (int) get();
    }

    /** A copy of what was written. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }
}
