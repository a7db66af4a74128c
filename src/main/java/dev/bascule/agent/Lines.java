package dev.bascule.agent;

/**
 * Digests of 64-byte lines and of the words of a payload, by which what is torn, corrupted or in the wrong place is
 * detected. Not cryptographic: they guard against accidents and scribblers, and every decision is checked by the host in
 * any case. A change in one word always changes a digest of 64 bits.
 */
public final class Lines {
    /** 8-byte words of a line. */
    public static final int WORDS = 8;

    private static final long M0 = 0x9e37_79b9_7f4a_7c15L;
    private static final long M1 = 0xbf58_476d_1ce4_e5b9L;
    private static final long M2 = 0x94d0_49bb_1331_11ebL;
    private static final long M3 = 0xd6e8_feb8_6659_fd93L;

    private Lines() {}

    /**
     * A word that carries its own check: {@code value} in the upper 48 bits (its lower 16 bits must be zero), a hash of
     * it and of {@code position} in the lower 16.
     */
    public static long seal(long value, long position) {
        return value | check(value, position);
    }

    /** Whether a word is what {@link #seal} makes of its upper 48 bits. */
    public static boolean isSealed(long word, long position) {
        return (word & 0xffff) == check(word & ~0xffffL, position);
    }

    private static long check(long value, long position) {
        long mixed = (value ^ position ^ M0) * M1;
        mixed = (mixed ^ mixed >>> 31) * M2;
        return mixed >>> 48;
    }

    /** Makes a whole line: word 0, six words of content, and their digest in word 7. */
    public static void fill(long[] whole, long first, long[] words, long position) {
        whole[0] = first;
        System.arraycopy(words, 0, whole, 1, Message.WORDS);
        whole[7] = digest(first, words[0], words[1], words[2], words[3], words[4], words[5], position);
    }

    /**
     * Takes the content out of a line that {@link #fill} made; false if it is torn or damaged, and {@code words} is then
     * undefined.
     */
    public static boolean open(long[] whole, long first, long[] words, long position) {
        System.arraycopy(whole, 1, words, 0, Message.WORDS);
        return whole[7] == digest(first, whole[1], whole[2], whole[3], whole[4], whole[5], whole[6], position);
    }

    /** Digest of words 0 to 6 of the line at byte offset {@code position}. */
    public static long digest(long[] words, long position) {
        return digest(words[0], words[1], words[2], words[3], words[4], words[5], words[6], position);
    }

    /** Digest of seven words of the line at byte offset {@code position}; four independent lanes, so it pipelines. */
    public static long digest(long w0, long w1, long w2, long w3, long w4, long w5, long w6, long position) {
        long a = (w0 ^ M0) * M1;
        long b = (w1 ^ M1) * M2;
        long c = (w2 ^ M2) * M3;
        long d = (w3 ^ M3) * M0;
        a = (a ^ a >>> 29 ^ w4) * M2;
        b = (b ^ b >>> 31 ^ w5) * M3;
        c = (c ^ c >>> 30 ^ w6) * M0;
        d = (d ^ d >>> 28 ^ position) * M1;
        return together(a, b, c, d);
    }

    /**
     * Digest of {@code count} words of a payload.
     *
     * @param stamp what tells its message from an older one at the same place
     */
    public static long digest(long[] words, int from, int count, long stamp) {
        long a = stamp ^ M0;
        long b = stamp + M1;
        long c = count ^ M2;
        long d = M3;
        int i = from;
        int end = from + count;
        for (; i <= end - 4; i += 4) {
            a = mix(a, words[i], M1);
            b = mix(b, words[i + 1], M2);
            c = mix(c, words[i + 2], M3);
            d = mix(d, words[i + 3], M0);
        }
        for (; i < end; i++) {
            a = mix(a, words[i], M2);
        }
        long mixed = together(a, b, c, d) * M1;
        return mixed ^ mixed >>> 29;
    }

    private static long mix(long lane, long word, long factor) {
        long mixed = (lane ^ word) * factor;
        return mixed ^ mixed >>> 32;
    }

    private static long together(long a, long b, long c, long d) {
        long mixed = a ^ Long.rotateLeft(b, 17) ^ Long.rotateLeft(c, 31) ^ Long.rotateLeft(d, 47);
        return mixed ^ mixed >>> 32;
    }
}
