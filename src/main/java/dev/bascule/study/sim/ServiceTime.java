package dev.bascule.study.sim;

import java.util.SplittableRandom;

/**
 * Distribution of the CPU time that a kind of job needs.
 *
 * @param form its form
 * @param nanos the fixed time; the mean of {@code EXPONENTIAL}; the fixed part of {@code SHIFTED}; the mean of
 *        {@code LOGNORMAL}
 * @param spreadNanos mean of the exponential part of {@code SHIFTED}; for {@code LOGNORMAL} its standard deviation
 */
public record ServiceTime(Form form, double nanos, double spreadNanos) {
    /** Forms. */
    public enum Form {
        /** Always the same. */
        FIXED,
        /** Memoryless. */
        EXPONENTIAL,
        /** A fixed part and an exponential one. */
        SHIFTED,
        /** Log-normal. */
        LOGNORMAL
    }

    /** Checks the values. */
    public ServiceTime {
        if (!(nanos > 0) || !(spreadNanos >= 0) || Double.isInfinite(nanos + spreadNanos)) {
            throw new IllegalArgumentException(
                    "service time of " + nanos + " ns, spread " + spreadNanos + " ns; it must be more than 0");
        }
    }

    /** Always so many ns. */
    public static ServiceTime fixed(double nanos) {
        return new ServiceTime(Form.FIXED, nanos, 0);
    }

    /** Exponential with this mean. */
    public static ServiceTime exponential(double meanNanos) {
        return new ServiceTime(Form.EXPONENTIAL, meanNanos, 0);
    }

    /** A fixed part and an exponential part with this mean. */
    public static ServiceTime shifted(double fixedNanos, double meanNanos) {
        return new ServiceTime(Form.SHIFTED, fixedNanos, meanNanos);
    }

    /** Log-normal with this mean and standard deviation. */
    public static ServiceTime lognormal(double meanNanos, double deviationNanos) {
        return new ServiceTime(Form.LOGNORMAL, meanNanos, deviationNanos);
    }

    /** Draws one, ns. */
    public double draw(SplittableRandom random) {
        return switch (form) {
            case FIXED -> nanos;
            case EXPONENTIAL -> -StrictMath.log(1 - random.nextDouble()) * nanos;
            case SHIFTED -> nanos - StrictMath.log(1 - random.nextDouble()) * spreadNanos;
            case LOGNORMAL -> {
                double variance = StrictMath.log(1 + spreadNanos * spreadNanos / (nanos * nanos));
                double normal = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()))
                        * StrictMath.cos(2 * Math.PI * random.nextDouble());
                yield StrictMath.exp(StrictMath.log(nanos) - variance / 2 + StrictMath.sqrt(variance) * normal);
            }
        };
    }

    /** Mean, ns. */
    public double mean() {
        return form == Form.SHIFTED ? nanos + spreadNanos : nanos;
    }

    /** Second moment, ns squared: what M/G/1 needs. */
    double secondMoment() {
        return switch (form) {
            case FIXED -> nanos * nanos;
            case EXPONENTIAL -> 2 * nanos * nanos;
            case SHIFTED -> mean() * mean() + spreadNanos * spreadNanos;
            case LOGNORMAL -> nanos * nanos + spreadNanos * spreadNanos;
        };
    }
}
