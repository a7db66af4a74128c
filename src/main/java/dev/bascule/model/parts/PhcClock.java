package dev.bascule.model.parts;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.config.ModelTiming;
import dev.bascule.ring.Clock;
import java.util.Arrays;
import java.util.Random;

/**
 * Registers of a PTP hardware clock, as Corundum and cndm have it, by their offsets in its block. Set and offset
 * commands take some microseconds in hardware; until then their pending bit is set and a second command of the same
 * kind is ignored [RTL].
 */
public final class PhcClock {
    /** Size of the block, with the header that some designs give it. */
    public static final int LENGTH = 0x80;
    static final int NANOS_MASK_30 = 0x3FFFFFFF;
    /** Time that a command takes. */
    public static final long COMMAND_NANOS = 8_000;
    private static final int FIRST_PENDING_BIT = 24;
    private static final int COMMANDS = 6;
    private static final int SET = 0;
    private static final int OFFSET = 1;
    private static final int SET_RELATIVE = 2;
    private static final int OFFSET_RELATIVE = 3;
    private static final int PERIOD = 4;
    private static final int OFFSET_FRACTION = 5;

    /** Pending ends before a set or moved time can be read: half of the times by less than the median [RTL]. */
    private static final double MEDIAN_LAG_NANOS = 5_200;
    private static final double LONGEST_LAG_NANOS = 25_000;
    private static final long SEED = 35;

    private final Clock clock;
    private final PhcRate rate;
    private final boolean lagging;
    private final Random lags = new Random(SEED);
    private final PhcTime time;
    private final PhcReadings readings;
    /** Time that commands change; {@link #time} itself unless a change shows later. */
    private final PhcTime changed;
    private final long[] pendingUntil = new long[COMMANDS];
    private final boolean[] pending = new boolean[COMMANDS];

    private int offsetNanos;
    private int setNanos;
    private long setSeconds;
    private long setRelative;
    private int offsetRelative;
    private int offsetFraction;
    private int periodFraction;
    private int periodNanos;

    /**
     * Makes a clock.
     *
     * @param rate of the design's clock
     * @param timing whether what commands change is seen at once
     */
    public PhcClock(Clock clock, PhcRate rate, ModelTiming timing) {
        this.clock = clock;
        lagging = timing == ModelTiming.RTL;
        time = new PhcTime(clock, rate);
        changed = lagging ? new PhcTime(clock, rate) : time;
        readings = new PhcReadings(time);
        this.rate = rate;
        reset();
    }

    /** Time that is read, and that packets are stamped with. */
    public PhcTime time() {
        return time;
    }

    /** Makes everything as after power-on. */
    public void reset() {
        time.reset();
        changed.reset();
        lags.setSeed(SEED);
        Arrays.fill(pending, false);
        offsetNanos = 0;
        setNanos = 0;
        setSeconds = 0;
        setRelative = 0;
        offsetRelative = 0;
        offsetFraction = 0;
        periodNanos = rate.periodNanos();
        periodFraction = rate.periodFraction();
        readings.reset();
    }

    /** Reads a register; those that the block does not have read 0. */
    public int read(int offset) {
        if (offset < PHC_OFFSET_NANOS) {
            return offset == PHC_STATUS ? status() : readings.read(offset - PHC_CURRENT_FRACTION);
        }
        return switch (offset) {
            case PHC_OFFSET_NANOS -> offsetNanos;
            case PHC_SET_NANOS -> setNanos;
            case PHC_SET_SECONDS_LOW -> (int) setSeconds;
            // both read bits 47 to 16 back, not 47 to 32 [RTL]
            case PHC_SET_SECONDS_HIGH -> (int) (setSeconds >>> 16);
            case PHC_SET_RELATIVE_LOW -> (int) setRelative;
            case PHC_SET_RELATIVE_HIGH -> (int) (setRelative >>> 16);
            case PHC_OFFSET_RELATIVE -> offsetRelative;
            case PHC_OFFSET_FRACTION -> offsetFraction;
            case PHC_NOMINAL_PERIOD_FRACTION -> rate.periodFraction();
            case PHC_NOMINAL_PERIOD_NANOS -> rate.periodNanos();
            case PHC_PERIOD_FRACTION -> periodFraction;
            case PHC_PERIOD_NANOS -> periodNanos;
            default -> 0;
        };
    }

    private int status() {
        int bits = PHC_STATUS_LOCKED;
        for (int command = 0; command < COMMANDS; command++) {
            if (isPending(command)) {
                bits |= 1 << FIRST_PENDING_BIT + command;
            }
        }
        return bits;
    }

    private boolean isPending(int command) {
        if (pending[command] && clock.nanoTime() - pendingUntil[command] >= 0) {
            pending[command] = false;
        }
        return pending[command];
    }

    /** False if such a command is still under way. */
    private boolean begin(int command) {
        if (isPending(command)) {
            return false;
        }
        pending[command] = true;
        pendingUntil[command] = clock.nanoTime() + COMMAND_NANOS;
        time.update();
        changed.update();
        return true;
    }

    /** Lets what a command has changed be seen: at once, or some microseconds after it is no longer pending. */
    private void show() {
        if (lagging) {
            double at = 2 * lags.nextDouble() - 1;
            double lag = MEDIAN_LAG_NANOS
                    + at * (at < 0 ? MEDIAN_LAG_NANOS : at * at * (LONGEST_LAG_NANOS - MEDIAN_LAG_NANOS));
            time.follow(changed, clock.nanoTime() + COMMAND_NANOS + (long) lag);
        }
    }

    /** Writes a register; those that the block does not have swallow it. */
    public void write(int offset, int value) {
        switch (offset) {
            case PHC_SET_NANOS -> setNanos = value & NANOS_MASK_30;
            case PHC_SET_SECONDS_LOW -> setSeconds = setSeconds & 0xFFFF00000000L | value & 0xFFFFFFFFL;
            case PHC_SET_RELATIVE_LOW -> setRelative = setRelative & 0xFFFF00000000L | value & 0xFFFFFFFFL;
            case PHC_PERIOD_FRACTION -> periodFraction = value;
            case PHC_SET_SECONDS_HIGH -> {
                if (begin(SET)) {
                    setSeconds = setSeconds & 0xFFFFFFFFL | (value & 0xFFFFL) << 32;
                    changed.setDay(setSeconds, setNanos);
                    show();
                }
            }
            case PHC_SET_RELATIVE_HIGH -> {
                if (begin(SET_RELATIVE)) {
                    setRelative = setRelative & 0xFFFFFFFFL | (value & 0xFFFFL) << 32;
                    changed.setRelative(setRelative);
                    show();
                }
            }
            case PHC_PERIOD_NANOS -> {
                if (begin(PERIOD)) {
                    periodNanos = value & 0xFF;
                    time.setPeriod(periodNanos, periodFraction);
                    changed.setPeriod(periodNanos, periodFraction);
                }
            }
            default -> writeOffset(offset, value);
        }
    }

    private void writeOffset(int offset, int value) {
        switch (offset) {
            case PHC_OFFSET_NANOS -> {
                if (begin(OFFSET)) {
                    offsetNanos = value & NANOS_MASK_30;
                    changed.addToDay(value << 2 >> 2); // 30 bits, signed [RTL]
                    show();
                }
            }
            case PHC_OFFSET_RELATIVE -> {
                if (begin(OFFSET_RELATIVE)) {
                    offsetRelative = value;
                    changed.addToRelative(value);
                    show();
                }
            }
            case PHC_OFFSET_FRACTION -> {
                if (begin(OFFSET_FRACTION)) {
                    offsetFraction = value;
                    changed.addFraction(value);
                    show();
                }
            }
            default -> {
            }
        }
    }
}
