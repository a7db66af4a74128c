package dev.bascule.study.fabric;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Host memory, and who is to be told when a device has written to a part of it. */
public final class HostMemory implements Target {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private record Watch(long from, long to, Runnable told) {}

    private final byte[] bytes;
    private final List<Watch> watches = new ArrayList<>();
    private int used;

    HostMemory(int sizeBytes) {
        bytes = new byte[sizeBytes];
    }

    /** A part that nobody else has; {@link IllegalStateException} if there is no room. */
    long allocate(int lengthBytes) {
        int at = used + 63 & -64;
        if (lengthBytes > bytes.length - at) {
            throw new IllegalStateException("host memory of " + bytes.length + " bytes has no room for " + lengthBytes
                    + " more; give the fabric more of it");
        }
        used = at + lengthBytes;
        return at;
    }

    /** Has {@code told} run whenever a device has written into the part. */
    void watch(long base, long lengthBytes, Runnable told) {
        watches.add(new Watch(base, base + lengthBytes, told));
    }

    @Override
    public void write(long offset, byte[] data) {
        System.arraycopy(data, 0, bytes, (int) offset, data.length);
        for (Watch watch : watches) {
            if (offset < watch.to && offset + data.length > watch.from) {
                watch.told.run();
            }
        }
    }

    @Override
    public void read(long offset, byte[] to, int at, int lengthBytes) {
        System.arraycopy(bytes, (int) offset, to, at, lengthBytes);
    }

    /** The CPU stores a word. */
    void putLong(long at, long value) {
        LONG.set(bytes, (int) at, value);
    }

    /** The CPU loads a word. */
    long getLong(long at) {
        return (long) LONG.get(bytes, (int) at);
    }

    /** The CPU stores bytes. */
    void put(long at, byte[] from, int offset, int lengthBytes) {
        System.arraycopy(from, offset, bytes, (int) at, lengthBytes);
    }

    /** The CPU loads bytes. */
    byte[] get(long at, int lengthBytes) {
        byte[] copy = new byte[lengthBytes];
        read(at, copy, 0, lengthBytes);
        return copy;
    }
}
