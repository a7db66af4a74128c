package dev.bascule.model.parts;

/**
 * Rate of a design's PTP clock.
 *
 * @param cycles cycles in {@code nanos} nanoseconds
 * @param nanos nanoseconds that so many cycles take
 * @param periodNanos whole nanoseconds added in each cycle, unless the driver sets another period
 * @param periodFraction fraction of a nanosecond added as well, of 2^32
 */
public record PhcRate(int cycles, int nanos, int periodNanos, int periodFraction) {
    /** Corundum's: 6.4 ns a cycle. */
    public static final PhcRate OF_6_4_NANOS = new PhcRate(5, 32, 6, 0x66666666);
    /** The one of whole nanoseconds a cycle: 4 ns. */
    public static final PhcRate OF_4_NANOS = new PhcRate(1, 4, 4, 0);
}
