package dev.bascule.study.fabric;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Words in byte arrays, little endian as on PCI Express. */
final class Bytes {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Bytes() {}

    static byte[] of(long value) {
        byte[] bytes = new byte[Long.BYTES];
        LONG.set(bytes, 0, value);
        return bytes;
    }

    static void put(byte[] bytes, int at, long value) {
        LONG.set(bytes, at, value);
    }

    static long get(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }
}
