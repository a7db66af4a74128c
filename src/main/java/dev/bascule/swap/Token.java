package dev.bascule.swap;

/**
 * A thing exactly one side may dispose of (a runnable thread, a page batch, an RPC slot), as 48 bits: class 16, id 32.
 */
final class Token {
    /** No token. */
    public static final long NONE = SwapLine.CONTENT;

    private Token() {}

    /** A token; {@code id} is taken as unsigned, {@code tokenClass} has 16 bits. All ones is {@link #NONE}. */
    static long of(int id, int tokenClass) {
        return (long) (tokenClass & 0xFFFF) << 32 | id & 0xFFFF_FFFFL;
    }

    /** The id, to be read as unsigned. */
    static int id(long token) {
        return (int) token;
    }

    /** The class, 0 to 65535. */
    static int tokenClass(long token) {
        return (int) (token >>> 32) & 0xFFFF;
    }

    /** For messages and traces. */
    static String show(long token) {
        return token == NONE ? "none" : "t" + Integer.toUnsignedString(id(token)) + ":" + tokenClass(token);
    }
}
