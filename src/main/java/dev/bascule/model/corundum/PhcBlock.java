package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.config.ModelTiming;
import dev.bascule.ring.Clock;
import java.util.Arrays;
import java.util.Random;

/**
 * Registers of the PTP hardware clock. Set and offset commands take some microseconds in hardware; until then their
 * pending bit is set and a second command of the same kind is ignored [RTL].
 */
final class PhcBlock extends RegisterBlock {
    private static final int LENGTH = 0x80;
    private static final int NANOS_MASK_30 = 0x3FFFFFFF;
    private static final int FRACTION_MASK = 0xFFFF0000;
    /** How long a command takes. */
    static final long COMMAND_NANOS = 8_000;
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
    private final boolean lagging;
    private final Random lags = new Random(SEED);
    /** Time that is read, and that packets are stamped with. */
    final PhcTime time;
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

    private long snapshotFraction;
    private long snapshotNanos;
    private long snapshotSeconds;
    private long snapshotRelative;

    PhcBlock(Clock clock, ModelTiming timing) {
        super(TYPE_PHC, VERSION_PHC, LENGTH);
        this.clock = clock;
        lagging = timing == ModelTiming.RTL;
        time = new PhcTime(clock);
        changed = lagging ? new PhcTime(clock) : time;
        reset();
    }

    @Override
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
        periodNanos = PhcTime.NOMINAL_PERIOD_NANOS;
        periodFraction = PhcTime.NOMINAL_PERIOD_FRACTION;
        snapshotFraction = 0;
        snapshotNanos = 0;
        snapshotSeconds = 0;
        snapshotRelative = 0;
    }

    @Override
    int readField(int offset) {
        if (offset < PHC_OFFSET_NANOS) {
            return readTime(offset);
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
            case PHC_NOMINAL_PERIOD_FRACTION -> PhcTime.NOMINAL_PERIOD_FRACTION;
            case PHC_NOMINAL_PERIOD_NANOS -> PhcTime.NOMINAL_PERIOD_NANOS;
            case PHC_PERIOD_FRACTION -> periodFraction;
            case PHC_PERIOD_NANOS -> periodNanos;
            default -> 0;
        };
    }

    private int readTime(int offset) {
        time.update();
        return switch (offset) {
            case PHC_STATUS -> status();
            case PHC_CURRENT_FRACTION -> (int) time.fraction & FRACTION_MASK;
            case PHC_CURRENT_NANOS -> (int) time.nanos;
            case PHC_CURRENT_SECONDS_LOW -> (int) time.seconds;
            case PHC_CURRENT_SECONDS_HIGH -> (int) (time.seconds >>> 32);
            case PHC_CURRENT_RELATIVE_LOW -> (int) time.relativeNanos;
            case PHC_CURRENT_RELATIVE_HIGH -> (int) (time.relativeNanos >>> 32);
            case PHC_SNAPSHOT_FRACTION -> takeSnapshot();
            case PHC_SNAPSHOT_NANOS -> (int) snapshotNanos & NANOS_MASK_30;
            case PHC_SNAPSHOT_SECONDS_LOW -> (int) snapshotSeconds;
            case PHC_SNAPSHOT_SECONDS_HIGH -> (int) (snapshotSeconds >>> 32);
            case PHC_SNAPSHOT_RELATIVE_LOW -> (int) snapshotRelative;
            case PHC_SNAPSHOT_RELATIVE_HIGH -> (int) (snapshotRelative >>> 32);
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

    private int takeSnapshot() {
        snapshotFraction = time.fraction;
        snapshotNanos = time.nanos;
        snapshotSeconds = time.seconds;
        snapshotRelative = time.relativeNanos;
        return (int) snapshotFraction & FRACTION_MASK;
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

    @Override
    void writeField(int offset, int value, int lanes) {
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
