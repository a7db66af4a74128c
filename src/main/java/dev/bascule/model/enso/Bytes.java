package dev.bascule.model.enso;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Little-endian fields of entries in byte arrays. */
final class Bytes {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    private Bytes() {}

    static long u64(byte[] entry, int offset) {
        return (long) LONG.get(entry, offset);
    }

    static int u32(byte[] entry, int offset) {
        return (int) INT.get(entry, offset);
    }

    static int u16(byte[] entry, int offset) {
        return Short.toUnsignedInt((short) SHORT.get(entry, offset));
    }

    static void putU64(byte[] entry, int offset, long value) {
        LONG.set(entry, offset, value);
    }

    /** Big-endian 16 bits, as in packet headers. */
    static int networkU16(byte[] data, int offset) {
        return Short.toUnsignedInt(Short.reverseBytes((short) SHORT.get(data, offset)));
    }

    /** Big-endian 32 bits, as in packet headers. */
    static int networkU32(byte[] data, int offset) {
        return Integer.reverseBytes((int) INT.get(data, offset));
    }
}
