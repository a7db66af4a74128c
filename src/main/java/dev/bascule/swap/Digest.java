package dev.bascule.swap;

/**
 * Digest of words, bound to a place. It is a sum of products (so the multiplications overlap) with a bijective finish:
 * a change in one word always changes the sum, a change in several survives with probability 2<sup>-48</sup>.
 */
final class Digest {
    private static final long STEP = 0x9E37_79B9_7F4A_7C15L;

    private Digest() {}

    /** Of words 0 to 6 of a line, 48 bits. */
    static long ofLine(long[] w, long seed) {
        return finish(seed + sum(w, 0)) & SwapLine.CONTENT;
    }

    private static long sum(long[] w, int at) {
        long h = fold(w[at]) * 0xBF58_476D_1CE4_E5B9L;
        h += fold(w[at + 1]) * 0x94D0_49BB_1331_11EBL;
        h += fold(w[at + 2]) * 0xD6E8_FEB8_6659_FD93L;
        h += fold(w[at + 3]) * 0xA076_1D64_78BD_642FL;
        h += fold(w[at + 4]) * 0xE703_7ED1_A0B4_28DBL;
        h += fold(w[at + 5]) * 0x8EBC_6AF0_9C88_C6E3L;
        return h + fold(w[at + 6]) * 0x5899_65CC_7537_4CC3L;
    }

    /** Of {@code count} words, 48 bits. */
    static long ofWords(long[] words, int count, long seed) {
        long h = seed + count * STEP;
        int i = 0;
        for (; i + Line.WORDS <= count; i += Line.WORDS) {
            h = step(h) + sum(words, i) + fold(words[i + 7]) * STEP;
        }
        for (; i < count; i++) {
            h = step(h) + fold(words[i]) * STEP;
        }
        return finish(h) & SwapLine.CONTENT;
    }

    /** The seed of a place: the same words elsewhere have another digest. */
    static long seed(int cell, int role) {
        return finish((cell * 8L + role + 1) * STEP);
    }

    private static long step(long h) {
        return (h ^ h >>> 29) * 0xBF58_476D_1CE4_E5B9L;
    }

    private static long fold(long word) {
        return word ^ word >>> 32;
    }

    private static long finish(long sum) {
        long h = sum;
        h = (h ^ h >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        h = (h ^ h >>> 27) * 0x94D0_49BB_1331_11EBL;
        return h ^ h >>> 31;
    }
}
