package dev.bascule.rpc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A compact header of this project's own, for clients that need no ONC RPC: 24 bytes, little endian, and behind them
 * values that are decoded already (see {@link ValueType}).
 *
 * <pre>
 *  0  magic 16 (0x4c42)   version 8 (1)   kind 8 (0 call, 1 reply)
 *  4  procedure 16        status 8        reserved 8
 *  8  program 32          payload bytes 32
 * 16  id 64, the client's, returned as it came
 * </pre>
 *
 * Thread rule: an object belongs to one thread; static methods to any. Allocation-free.
 */
public final class CompactRpc {
    /** Bytes of the header. */
    public static final int HEADER_BYTES = 24;
    /** Status of a reply with a result; other numbers are reasons of a refusal. */
    public static final int DONE = 0;

    private static final int MAGIC = 0x4c42;
    private static final int VERSION = 1;
    private static final int CALL = 0;
    private static final int REPLY = 1;
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class,
            ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private boolean reply;
    private int procedure;
    private int status;
    private int program;
    private int payloadBytes;
    private long id;

    /** Whether the bytes begin as this header does. */
    public static boolean isCompact(byte[] from, int offset, int bytes) {
        return bytes >= HEADER_BYTES && (short) SHORT.get(from, offset) == MAGIC && from[offset + 2] == VERSION;
    }

    /** Takes a header apart; false if it is none, or its payload is not exactly what follows. */
    public boolean read(byte[] from, int offset, int bytes) {
        if (!isCompact(from, offset, bytes)) {
            return false;
        }
        int kind = from[offset + 3];
        reply = kind == REPLY;
        procedure = (short) SHORT.get(from, offset + 4) & 0xffff;
        status = from[offset + 6] & 0xff;
        program = (int) INT.get(from, offset + 8);
        payloadBytes = (int) INT.get(from, offset + 12);
        id = (long) LONG.get(from, offset + 16);
        return (kind == CALL || reply) && payloadBytes == bytes - HEADER_BYTES;
    }

    /** Writes the header of a call. Returns {@link #HEADER_BYTES}. */
    public static int call(byte[] into, int offset, long id, int program, int procedure, int payloadBytes) {
        return write(into, offset, CALL, id, program, procedure, DONE, payloadBytes);
    }

    /** Writes the header of a reply. Returns {@link #HEADER_BYTES}. */
    public static int reply(byte[] into, int offset, long id, int program, int procedure, int status,
            int payloadBytes) {
        return write(into, offset, REPLY, id, program, procedure, status, payloadBytes);
    }

    private static int write(byte[] into, int offset, int kind, long id, int program, int procedure, int status,
            int payloadBytes) {
        SHORT.set(into, offset, (short) MAGIC);
        into[offset + 2] = VERSION;
        into[offset + 3] = (byte) kind;
        SHORT.set(into, offset + 4, (short) procedure);
        into[offset + 6] = (byte) status;
        into[offset + 7] = 0;
        INT.set(into, offset + 8, program);
        INT.set(into, offset + 12, payloadBytes);
        LONG.set(into, offset + 16, id);
        return HEADER_BYTES;
    }

    /** Whether it is a reply. */
    public boolean isReply() {
        return reply;
    }

    /** Procedure, 0 to 65535. */
    public int procedure() {
        return procedure;
    }

    /** Of a reply: {@link #DONE}, or why it was refused. */
    public int status() {
        return status;
    }

    /** Program. */
    public int program() {
        return program;
    }

    /** Bytes behind the header. */
    public int payloadBytes() {
        return payloadBytes;
    }

    /** The client's id. */
    public long id() {
        return id;
    }
}
