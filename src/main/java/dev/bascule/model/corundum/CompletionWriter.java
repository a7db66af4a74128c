package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicFormats.*;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** One completion or event being put together. */
final class CompletionWriter {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    final byte[] bytes = new byte[COMPLETION_BYTES];
    final MemorySegment segment = MemorySegment.ofArray(bytes);

    void clear() {
        Arrays.fill(bytes, (byte) 0);
    }

    /** The fields TX and RX completions share. */
    void completion(int queue, int index, int lengthBytes, int port) {
        put16(COMPLETION_QUEUE, queue);
        put16(COMPLETION_INDEX, index);
        put16(COMPLETION_LENGTH, lengthBytes);
        bytes[COMPLETION_PORT] = (byte) port;
    }

    void time(long seconds, long nanos, long fraction, boolean withFraction) {
        put16(COMPLETION_FRACTION, withFraction ? (int) (fraction >>> 16) : 0);
        put32(COMPLETION_NANOS, (int) nanos);
        put16(COMPLETION_SECONDS, (int) seconds);
    }

    void put16(int offset, int value) {
        SHORT.set(bytes, offset, (short) value);
    }

    void put32(int offset, int value) {
        INT.set(bytes, offset, value);
    }
}
