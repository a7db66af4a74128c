package dev.bascule.rpc;

/**
 * ONC RPC version 2 (RFC 5531): calls taken apart and put together, replies as well, over UDP, so without record marks.
 * <p>
 * Thread rule: an object belongs to one thread; static methods to any. Allocation-free.
 */
public final class OncRpc {
    /** The version of the protocol. */
    public static final int VERSION = 2;
    /** Bytes of a reply before its results, with an empty verifier. */
    public static final int REPLY_BYTES = 24;
    /** Bytes of a call before its arguments, with empty credentials and verifier. */
    public static final int CALL_BYTES = 40;
    /** The longest credentials or verifier. */
    public static final int MOST_AUTH_BYTES = 400;

    /** {@code accept_stat}: done. */
    public static final int SUCCESS = 0;
    /** No such program. */
    public static final int PROG_UNAVAIL = 1;
    /** The program has no such version. */
    public static final int PROG_MISMATCH = 2;
    /** No such procedure. */
    public static final int PROC_UNAVAIL = 3;
    /** The arguments are none. */
    public static final int GARBAGE_ARGS = 4;
    /** Any other failure of the server. */
    public static final int SYSTEM_ERR = 5;

    private static final int CALL = 0;
    private static final int REPLY = 1;
    private static final int MSG_ACCEPTED = 0;
    private static final int MSG_DENIED = 1;
    private static final int RPC_MISMATCH = 0;
    private static final int HEADER = 24;

    /** Kinds of message, as the decoder finds them. */
    public enum Kind {
        /** A call; its fields are valid. */
        CALL,
        /** A reply that was accepted; its fields are valid. */
        REPLY,
        /** A reply that was denied. */
        DENIED,
        /** A call of another version of the protocol: answer {@link #rpcMismatch}. */
        OTHER_VERSION,
        /** Nothing that could be answered. */
        RUBBISH
    }

    private int xid;
    private int program;
    private int version;
    private int procedure;
    private int status;
    private int bodyOffset;

    /** Takes a message apart, up to its arguments or results. */
    public Kind read(byte[] from, int offset, int bytes) {
        if (bytes < 8) {
            return Kind.RUBBISH;
        }
        xid = Xdr.getInt(from, offset);
        int type = Xdr.getInt(from, offset + 4);
        return type == CALL
                ? readCall(from, offset, bytes)
                : type == REPLY ? readReply(from, offset, bytes) : Kind.RUBBISH;
    }

    private Kind readCall(byte[] from, int offset, int bytes) {
        if (bytes < 12) {
            return Kind.RUBBISH;
        }
        if (Xdr.getInt(from, offset + 8) != VERSION) {
            return Kind.OTHER_VERSION;
        }
        if (bytes < CALL_BYTES) {
            return Kind.RUBBISH;
        }
        program = Xdr.getInt(from, offset + 12);
        version = Xdr.getInt(from, offset + 16);
        procedure = Xdr.getInt(from, offset + 20);
        int end = offset + bytes;
        int at = skipAuth(from, offset + HEADER, end);
        at = at < 0 ? at : skipAuth(from, at, end);
        bodyOffset = at;
        return at < 0 ? Kind.RUBBISH : Kind.CALL;
    }

    private Kind readReply(byte[] from, int offset, int bytes) {
        if (bytes < 12) {
            return Kind.RUBBISH;
        }
        int stat = Xdr.getInt(from, offset + 8);
        if (stat == MSG_DENIED) {
            return Kind.DENIED;
        }
        int end = offset + bytes;
        int at = stat == MSG_ACCEPTED ? skipAuth(from, offset + 12, end) : -1;
        if (at < 0 || end - at < 4) {
            return Kind.RUBBISH;
        }
        status = Xdr.getInt(from, at);
        bodyOffset = at + 4;
        return status >= SUCCESS && status <= SYSTEM_ERR ? Kind.REPLY : Kind.RUBBISH;
    }

    /** Flavour, length, body; returns where it ends, or -1. */
    private static int skipAuth(byte[] from, int at, int end) {
        if (end - at < 8) {
            return -1;
        }
        int length = Xdr.getInt(from, at + 4);
        if (length < 0 || length > MOST_AUTH_BYTES || Xdr.padded(length) > end - at - 8) {
            return -1;
        }
        return at + 8 + Xdr.padded(length);
    }

    /** Transaction id. */
    public int xid() {
        return xid;
    }

    /** Of a call. */
    public int program() {
        return program;
    }

    /** Of a call. */
    public int version() {
        return version;
    }

    /** Of a call. */
    public int procedure() {
        return procedure;
    }

    /** Of a reply: {@link #SUCCESS} to {@link #SYSTEM_ERR}. */
    public int status() {
        return status;
    }

    /** Where arguments or results begin. */
    public int bodyOffset() {
        return bodyOffset;
    }

    /** Writes the head of a call without credentials; the arguments follow. Returns {@link #CALL_BYTES}. */
    public static int call(byte[] into, int offset, int xid, int program, int version, int procedure) {
        Xdr.putInt(into, offset, xid);
        Xdr.putInt(into, offset + 4, CALL);
        Xdr.putInt(into, offset + 8, VERSION);
        Xdr.putInt(into, offset + 12, program);
        Xdr.putInt(into, offset + 16, version);
        Xdr.putInt(into, offset + 20, procedure);
        Xdr.putLong(into, offset + 24, 0);
        Xdr.putLong(into, offset + 32, 0);
        return CALL_BYTES;
    }

    /** Writes the head of an accepted reply; results follow if the status is {@link #SUCCESS}. */
    public static int reply(byte[] into, int offset, int xid, int status) {
        Xdr.putInt(into, offset, xid);
        Xdr.putInt(into, offset + 4, REPLY);
        Xdr.putInt(into, offset + 8, MSG_ACCEPTED);
        Xdr.putLong(into, offset + 12, 0);
        Xdr.putInt(into, offset + 20, status);
        return REPLY_BYTES;
    }

    /** Writes the reply to a call of a version that there is not; low and high are those that there are. */
    public static int progMismatch(byte[] into, int offset, int xid, int low, int high) {
        int length = reply(into, offset, xid, PROG_MISMATCH);
        Xdr.putInt(into, offset + length, low);
        Xdr.putInt(into, offset + length + 4, high);
        return length + 8;
    }

    /** Writes the reply to a call of another version of the protocol. */
    public static int rpcMismatch(byte[] into, int offset, int xid) {
        Xdr.putInt(into, offset, xid);
        Xdr.putInt(into, offset + 4, REPLY);
        Xdr.putInt(into, offset + 8, MSG_DENIED);
        Xdr.putInt(into, offset + 12, RPC_MISMATCH);
        Xdr.putInt(into, offset + 16, VERSION);
        Xdr.putInt(into, offset + 20, VERSION);
        return 24;
    }
}
