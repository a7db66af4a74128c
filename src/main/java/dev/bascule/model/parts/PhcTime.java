package dev.bascule.model.parts;

import dev.bascule.ring.Clock;
import org.jspecify.annotations.Nullable;

/**
 * The two times of a PTP hardware clock. Every clock cycle adds the period to both: time of day
 * (48-bit seconds, nanoseconds, 32-bit fraction) and relative time (48-bit nanoseconds, same fraction).
 */
public final class PhcTime {
    static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long MASK_48 = (1L << 48) - 1;
    private static final long MASK_32 = 0xFFFFFFFFL;
    /** More cycles at once would overflow the fraction's product. */
    private static final long MAX_STEP_CYCLES = 1L << 30;

    private final Clock clock;
    private final PhcRate rate;
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

    PhcTime(Clock clock, PhcRate rate) {
        this.clock = clock;
        this.rate = rate;
        reset();
    }

    /** Seconds of the time of day, at the last {@link #update}. */
    public long seconds() {
        return seconds;
    }

    /** Nanoseconds of the time of day. */
    public long nanos() {
        return nanos;
    }

    /** Fraction of a nanosecond, of 2^32, of both times. */
    public long fraction() {
        return fraction;
    }

    void reset() {
        lastNanos = clock.nanoTime();
        cycleRemainder = 0;
        periodNanos = rate.periodNanos();
        periodFraction = rate.periodFraction() & MASK_32;
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
    public void update() {
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
        long scaled = elapsed * rate.cycles() + cycleRemainder;
        long cycles = scaled / rate.nanos();
        cycleRemainder = scaled % rate.nanos();
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
