package dev.bascule.model.parts;

/**
 * Registers by which a clock is read: the time now, and from 0x20 on a snapshot, taken when its first word is read. A
 * design has one or several such windows on one clock, each with its own snapshot.
 */
public final class PhcReadings {
    private static final int FRACTION_MASK = 0xFFFF0000;

    private final PhcTime time;
    private long fraction;
    private long nanos;
    private long seconds;
    private long relative;

    /** Readings of a clock's time. */
    public PhcReadings(PhcTime time) {
        this.time = time;
    }

    /** Forgets the snapshot. */
    public void reset() {
        fraction = 0;
        nanos = 0;
        seconds = 0;
        relative = 0;
    }

    /** Reads a word; those that there are not read 0. */
    public int read(int offset) {
        time.update();
        return switch (offset) {
            case 0x00 -> (int) time.fraction & FRACTION_MASK;
            case 0x04 -> (int) time.nanos;
            case 0x08 -> (int) time.seconds;
            case 0x0C -> (int) (time.seconds >>> 32);
            case 0x10 -> (int) time.relativeNanos;
            case 0x14 -> (int) (time.relativeNanos >>> 32);
            case 0x20 -> takeSnapshot();
            case 0x24 -> (int) nanos & PhcClock.NANOS_MASK_30;
            case 0x28 -> (int) seconds;
            case 0x2C -> (int) (seconds >>> 32);
            case 0x30 -> (int) relative;
            case 0x34 -> (int) (relative >>> 32);
            default -> 0;
        };
    }

    private int takeSnapshot() {
        fraction = time.fraction;
        nanos = time.nanos;
        seconds = time.seconds;
        relative = time.relativeNanos;
        return (int) fraction & FRACTION_MASK;
    }
}
