package dev.bascule.loopback;

/** A seeded xorshift generator without allocation, for orders that hardware leaves open. Not thread-safe. */
final class SmallRandom {
    private long state;

    SmallRandom(long seed) {
        long mixed = (seed + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        state = (mixed ^ mixed >>> 31) | 1;
    }

    /** 31 random bits. */
    int next() {
        long x = state;
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
        state = x;
        return (int) (x >>> 33);
    }

    /** A number in [0, bound), bound at least 1. */
    int below(int bound) {
        return (int) ((long) next() * bound >>> 31);
    }
}
