package dev.bascule.lauberhorn;

/**
 * Head of a call that a thread makes, the first words of its payload; decoded arguments follow.
 *
 * <pre>
 * 0  program 32 | version 32
 * 1  procedure 16 | reserved 16 | IPv4 address 32; 0: a process of this machine
 * 2  UDP port 16
 * </pre>
 */
public final class NestedCall {
    /** Words of the head. */
    public static final int HEADER_WORDS = 3;
    /** Bytes of the head. */
    public static final int HEADER_BYTES = HEADER_WORDS * Long.BYTES;

    private NestedCall() {}

    /** Word 0. */
    public static long target(int program, int version) {
        return (long) program << 32 | version & 0xffff_ffffL;
    }

    /** Word 1. */
    public static long procedure(int procedure, int ipv4) {
        return (long) procedure << 48 | ipv4 & 0xffff_ffffL;
    }

    /** Of a head. */
    public static int program(long[] words) {
        return (int) (words[0] >>> 32);
    }

    /** Of a head. */
    public static int version(long[] words) {
        return (int) words[0];
    }

    /** Of a head. */
    public static int procedure(long[] words) {
        return (int) (words[1] >>> 48);
    }

    /** Of a head. */
    public static int address(long[] words) {
        return (int) words[1];
    }

    /** Of a head. */
    public static int port(long[] words) {
        return (int) words[2] & 0xffff;
    }
}
