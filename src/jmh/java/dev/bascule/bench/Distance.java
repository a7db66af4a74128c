package dev.bascule.bench;

import java.util.Locale;

/**
 * How far the two CPUs are from each other. On virtual machines the host may move them at will; every figure between
 * two cores is then of one kind or the other, several times apart.
 */
enum Distance {
    /** The round trip of a line takes less than {@value #FAR_NS} ns. */
    NEAR,
    /** It takes longer. */
    FAR;

    private static final double FAR_NS = 250;

    static Distance of(double lineRoundTripNs) {
        return lineRoundTripNs < FAR_NS ? NEAR : FAR;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
