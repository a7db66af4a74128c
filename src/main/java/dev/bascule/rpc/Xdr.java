package dev.bascule.rpc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Values between XDR (RFC 4506, big endian, in units of 4 bytes) and decoded words (see {@link ValueType}).
 * <p>
 * Every length is the sender's claim: what does not fit, is left over, or is no value of its type, is {@link #BAD}.
 * <p>
 * Thread rule: any thread. Allocation-free.
 */
public final class Xdr {
    /** Not values of these types. */
    public static final int BAD = -1;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Xdr() {}

    /** 32 bits. */
    public static int getInt(byte[] from, int at) {
        return (int) INT.get(from, at);
    }

    /** 32 bits. */
    public static void putInt(byte[] into, int at, int value) {
        INT.set(into, at, value);
    }

    static long getLong(byte[] from, int at) {
        return (long) LONG.get(from, at);
    }

    static void putLong(byte[] into, int at, long value) {
        LONG.set(into, at, value);
    }

    /**
     * Takes values apart.
     *
     * @param bytes of them; all must be used
     * @param into receives the words
     * @return bytes of the decoded form, a multiple of 8, or {@link #BAD}
     */
    public static int decode(List<ValueType> types, byte[] from, int offset, int bytes, long[] into) {
        int at = offset;
        int end = offset + bytes;
        int free = types.size();
        if (free > into.length) {
            return BAD;
        }
        for (int i = 0; i < types.size(); i++) {
            ValueType type = types.get(i);
            if (type.isVariable()) {
                if (end - at < 4) {
                    return BAD;
                }
                int length = getInt(from, at);
                at += 4;
                if (length < 0 || length > end - at || padded(length) > end - at
                        || words(length) > into.length - free) {
                    return BAD;
                }
                into[i] = ValueType.reference(free, length);
                copyIn(from, at, length, into, free);
                free += words(length);
                at += padded(length);
            } else {
                if (end - at < type.xdrBytes()) {
                    return BAD;
                }
                long value = type.xdrBytes() == 8 ? getLong(from, at) : getInt(from, at);
                if (type == ValueType.BOOL && (value & ~1L) != 0) {
                    return BAD;
                }
                into[i] = type == ValueType.FLOAT ? value & 0xffff_ffffL : value;
                at += type.xdrBytes();
            }
        }
        return at == end ? free * Long.BYTES : BAD;
    }

    /**
     * Puts values together.
     *
     * @param words decoded values
     * @param bytes of the decoded form that there are
     * @param room bytes that may be written
     * @return bytes written, or {@link #BAD} if the words are no values of these types, or there is no room
     */
    public static int encode(List<ValueType> types, long[] words, int bytes, byte[] into, int offset, int room) {
        if (!isValid(types, words, bytes)) {
            return BAD;
        }
        int at = offset;
        int end = offset + room;
        for (int i = 0; i < types.size(); i++) {
            ValueType type = types.get(i);
            int length = type.isVariable() ? ValueType.bytes(words[i]) : 0;
            int size = type.isVariable() ? 4 + padded(length) : type.xdrBytes();
            if (size > end - at) {
                return BAD;
            }
            if (type.isVariable()) {
                putInt(into, at, length);
                for (int pad = length; pad < padded(length); pad++) {
                    into[at + 4 + pad] = 0;
                }
                copyOut(words, ValueType.firstWord(words[i]), length, into, at + 4);
            } else if (size == 8) {
                putLong(into, at, words[i]);
            } else {
                putInt(into, at, (int) words[i]);
            }
            at += size;
        }
        return at - offset;
    }

    /** Whether decoded words are values of these types, and all that they refer to lies within the bytes. */
    public static boolean isValid(List<ValueType> types, long[] words, int bytes) {
        int count = bytes >> 3;
        if (bytes < 0 || (bytes & 7) != 0 || count > words.length || types.size() > count) {
            return false;
        }
        for (int i = 0; i < types.size(); i++) {
            ValueType type = types.get(i);
            if (type.isVariable()) {
                int first = ValueType.firstWord(words[i]);
                int length = ValueType.bytes(words[i]);
                if (length < 0 || first < types.size() || first > count || words(length) > count - first) {
                    return false;
                }
            } else if (type == ValueType.BOOL && (words[i] & ~1L) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Bytes of a variable value with its filling. */
    static int padded(int length) {
        return length + 3 & ~3;
    }

    /** Words that hold so many bytes. */
    public static int words(int bytes) {
        return bytes + 7 >>> 3;
    }

    /** Copies bytes into words, little endian, the last one filled up with zeros. */
    public static void copyIn(byte[] from, int at, int bytes, long[] into, int firstWord) {
        int whole = bytes >> 3;
        for (int i = 0; i < whole; i++) {
            into[firstWord + i] = Long.reverseBytes(getLong(from, at + i * Long.BYTES));
        }
        if ((bytes & 7) != 0) {
            long last = 0;
            for (int i = bytes & ~7; i < bytes; i++) {
                last |= (from[at + i] & 0xffL) << ((i & 7) << 3);
            }
            into[firstWord + whole] = last;
        }
    }

    /** Copies bytes out of words. */
    public static void copyOut(long[] from, int firstWord, int bytes, byte[] into, int at) {
        int whole = bytes >> 3;
        for (int i = 0; i < whole; i++) {
            putLong(into, at + i * Long.BYTES, Long.reverseBytes(from[firstWord + i]));
        }
        for (int i = bytes & ~7; i < bytes; i++) {
            into[at + i] = (byte) (from[firstWord + (i >> 3)] >>> ((i & 7) << 3));
        }
    }
}
