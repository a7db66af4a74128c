package dev.bascule.wave;

/** Digest of a payload, against accidents; four lanes, so that it pipelines. Not cryptographic. */
final class BulkDigest {
    private static final long M0 = 0x9e37_79b9_7f4a_7c15L;
    private static final long M1 = 0xbf58_476d_1ce4_e5b9L;
    private static final long M2 = 0x94d0_49bb_1331_11ebL;
    private static final long M3 = 0xd6e8_feb8_6659_fd93L;

    private BulkDigest() {}

    /**
     * Digest of {@code count} words.
     *
     * @param stamp the message's own first descriptor word, so that an older payload at the same place does not pass
     */
    static long of(long[] words, int from, int count, long stamp) {
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
        long mixed = a ^ Long.rotateLeft(b, 17) ^ Long.rotateLeft(c, 31) ^ Long.rotateLeft(d, 47);
        mixed = (mixed ^ mixed >>> 32) * M1;
        return mixed ^ mixed >>> 29;
    }

    private static long mix(long lane, long word, long factor) {
        long mixed = (lane ^ word) * factor;
        return mixed ^ mixed >>> 32;
    }
}
