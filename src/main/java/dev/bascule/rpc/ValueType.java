package dev.bascule.rpc;

/**
 * Type of an argument or of a part of a result: its form in XDR (RFC 4506) and as a <em>decoded</em> word of 8 bytes.
 * <p>
 * Decoded values lie one a word, in order, as a register would hold them. The word of a {@linkplain #isVariable variable}
 * value says where its bytes are: the number of the first word of them in the upper half, how many bytes there are in the
 * lower one; they follow the fixed words, each value from a word of its own on.
 */
public enum ValueType {
    /** 32 bits, signed: XDR {@code int}. */
    INT(4),
    /** 64 bits, signed: XDR {@code hyper}. */
    LONG(8),
    /** XDR {@code bool}: 0 or 1, nothing else. */
    BOOL(4),
    /** IEEE 754, 32 bits: its raw bits. */
    FLOAT(4),
    /** IEEE 754, 64 bits: its raw bits. */
    DOUBLE(8),
    /** XDR {@code string<>}, in UTF-8. */
    STRING(0),
    /** XDR {@code opaque<>}. */
    OPAQUE(0);

    private final int xdrBytes;

    ValueType(int xdrBytes) {
        this.xdrBytes = xdrBytes;
    }

    /** Bytes in XDR; 0 if variable. */
    int xdrBytes() {
        return xdrBytes;
    }

    /** Whether its length is part of the value. */
    public boolean isVariable() {
        return xdrBytes == 0;
    }

    /** The word of a variable value. */
    public static long reference(int firstWord, int bytes) {
        return (long) firstWord << 32 | bytes;
    }

    /** First word of the bytes of a variable value. */
    public static int firstWord(long reference) {
        return (int) (reference >>> 32);
    }

    /** Bytes of a variable value. */
    public static int bytes(long reference) {
        return (int) reference;
    }
}
