package dev.bascule.config;

/**
 * One latency of a link with where it comes from.
 *
 * @param nanos
 *            nanoseconds, 0 or more
 * @param source
 *            document and place, empty when the value was simply chosen
 * @param confidence
 *            how far to trust it
 */
public record Constant(long nanos, String source, Confidence confidence) {
    /** Zero, chosen: what a link costs when nothing is injected. */
    public static final Constant ZERO = chosen(0);

    /** A value without a source. */
    public static Constant chosen(long nanos) {
        return new Constant(nanos, "", Confidence.CHOSEN);
    }
}
