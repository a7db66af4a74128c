package dev.bascule.model.wire;

import java.math.BigInteger;

/**
 * Times of an interface of pcapng as nanoseconds: whole numbers throughout, rounded down.
 *
 * @param base 10 or 2
 * @param exponent a tick is base^-exponent of a second, 0 to 127
 * @param offsetSeconds from 1970 to where the ticks begin
 */
record Ticks(int base, int exponent, long offsetSeconds) {
    static final Ticks MICROS = new Ticks(10, 6, 0);
    private static final BigInteger NANOS = BigInteger.valueOf(CaptureReader.NANOS);

    /** The resolution that the byte of the option says. */
    Ticks withResolution(int code) {
        return new Ticks((code & 0x80) == 0 ? 10 : 2, code & 0x7f, offsetSeconds);
    }

    Ticks withOffset(long seconds) {
        return new Ticks(base, exponent, seconds);
    }

    /**
     * Nanoseconds since 1970.
     *
     * @param ticks unsigned
     * @throws ArithmeticException if they do not fit 64 bits: before 1677 or after 2262
     */
    long nanos(long ticks) {
        BigInteger perSecond = BigInteger.valueOf(base).pow(exponent);
        BigInteger nanos = new BigInteger(Long.toUnsignedString(ticks)).multiply(NANOS).divide(perSecond);
        return nanos.add(BigInteger.valueOf(offsetSeconds).multiply(NANOS)).longValueExact();
    }
}
