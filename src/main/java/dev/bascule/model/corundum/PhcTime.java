package dev.bascule.model.corundum;

import dev.bascule.ring.Clock;
import org.jspecify.annotations.Nullable;

/**
 * The two times of the PTP hardware clock. Every clock cycle (nominally 6.4 ns) adds the period to both: time of day
 * (48-bit seconds, nanoseconds, 32-bit fraction) and relative time (48-bit nanoseconds, same fraction).
 */
final class PhcTime {
    static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long MASK_48 = (1L << 48) - 1;
    private static final long MASK_32 = 0xFFFFFFFFL;
    /** One cycle is 32/5 ns. */
    private static final long CYCLES_NUMERATOR = 5;
    private static final long CYCLES_DENOMINATOR = 32;
    /** More cycles at once would overflow the fraction's product. */
    private static final long MAX_STEP_CYCLES = 1L << 30;
    static final int NOMINAL_PERIOD_NANOS = 6;
    static final int NOMINAL_PERIOD_FRACTION = 0x66666666;

    private final Clock clock;
    private long lastNanos;
    private long cycleRemainder;
    private long periodNanos;
    private long periodFraction;
    /** The time that this one is to be from {@link #followedAtNanos} on. */
    private @Nullable PhcTime followed;
    private long followedAtNanos;

    long seconds;
    long nanos;
    long relativeNanos;
    long fraction;

    PhcTime(Clock clock) {
        this.clock = clock;
        reset();
    }

    void reset() {
        lastNanos = clock.nanoTime();
        cycleRemainder = 0;
        periodNanos = NOMINAL_PERIOD_NANOS;
        periodFraction = NOMINAL_PERIOD_FRACTION;
        seconds = 0;
        nanos = 0;
        relativeNanos = 0;
        fraction = 0;
        followed = null;
    }

    /** Becomes what {@code other} is at {@code atNanos} of the clock, and until then runs on as it is. */
    void follow(PhcTime other, long atNanos) {
        followed = other;
        followedAtNanos = atNanos;
    }

    private void become(PhcTime other) {
        other.update();
        lastNanos = other.lastNanos;
        cycleRemainder = other.cycleRemainder;
        periodNanos = other.periodNanos;
        periodFraction = other.periodFraction;
        seconds = other.seconds;
        nanos = other.nanos;
        relativeNanos = other.relativeNanos;
        fraction = other.fraction;
        followed = null;
    }

    /** Brings all four fields up to now. */
    void update() {
        long now = clock.nanoTime();
        PhcTime next = followed;
        if (next != null && now - followedAtNanos >= 0) {
            become(next);
            return;
        }
        long elapsed = now - lastNanos;
        lastNanos = now;
        if (elapsed <= 0) {
            return;
        }
        long scaled = elapsed * CYCLES_NUMERATOR + cycleRemainder;
        long cycles = scaled / CYCLES_DENOMINATOR;
        cycleRemainder = scaled % CYCLES_DENOMINATOR;
        while (cycles > 0) {
            long step = Math.min(cycles, MAX_STEP_CYCLES);
            cycles -= step;
            long fractions = fraction + step * periodFraction;
            fraction = fractions & MASK_32;
            add(step * periodNanos + (fractions >>> 32));
        }
    }

    private void add(long deltaNanos) {
        addToDay(deltaNanos);
        relativeNanos = relativeNanos + deltaNanos & MASK_48;
    }

    /** Adds to time of day only. */
    void addToDay(long deltaNanos) {
        long sum = nanos + deltaNanos;
        if (sum >= 0 && sum < NANOS_PER_SECOND) {
            nanos = sum;
            return;
        }
        seconds = seconds + Math.floorDiv(sum, NANOS_PER_SECOND) & MASK_48;
        nanos = Math.floorMod(sum, NANOS_PER_SECOND);
    }

    /** Adds to relative time only. */
    void addToRelative(long deltaNanos) {
        relativeNanos = relativeNanos + deltaNanos & MASK_48;
    }

    /** Adds a signed 2^-32 ns to the common fraction. */
    void addFraction(int delta) {
        long sum = fraction + delta;
        fraction = sum & MASK_32;
        add(sum >> 32);
    }

    void setDay(long newSeconds, long newNanos) {
        seconds = newSeconds & MASK_48;
        nanos = newNanos;
    }

    void setRelative(long newNanos) {
        relativeNanos = newNanos & MASK_48;
    }

    void setPeriod(int nanosPerCycle, int fractionPerCycle) {
        periodNanos = nanosPerCycle;
        periodFraction = fractionPerCycle & MASK_32;
    }
}
