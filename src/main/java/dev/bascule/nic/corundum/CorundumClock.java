package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Registers;
import dev.bascule.ring.Clock;

/**
 * The card's clock (PHC): what packets are stamped with. Nanoseconds since its epoch, which is TAI's when the clock was
 * set to it.
 * <p>
 * Thread rule: thread-safe, control path; a reading takes three register reads.
 */
public final class CorundumClock {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    /** Larger steps than this set the clock. */
    private static final long LARGEST_OFFSET = 536_000_000L;
    private static final int LOOKS = 10_000;
    /** Tolerance of a reading, ns: between two times much less than this apart, nobody minds which one is read. */
    private static final long READING_NANOS = 1_000_000;

    private final Registers bar;
    private final long block;
    private final String device;
    private final Clock host;
    private volatile int sets;

    /** @param host what a set is waited for by */
    CorundumClock(Registers bar, long block, String device, Clock host) {
        this.bar = bar;
        this.block = block;
        this.device = device;
        this.host = host;
    }

    /** How often it was set or moved here. */
    int sets() {
        return sets;
    }

    /** The time now. */
    public synchronized long nanos() {
        bar.read32(block + PHC_SNAPSHOT_FRACTION); // takes the snapshot
        int nanos = bar.read32(block + PHC_SNAPSHOT_NANOS);
        int low = bar.read32(block + PHC_SNAPSHOT_SECONDS_LOW);
        int high = bar.read32(block + PHC_SNAPSHOT_SECONDS_HIGH);
        if (nanos == -1) {
            throw new DeviceRemovedException("read the clock", device);
        }
        long seconds = (high & 0xFFFFL) << 32 | low & 0xFFFFFFFFL;
        return seconds * NANOS_PER_SECOND + (nanos & 0xFFFFFFFFL);
    }

    /**
     * Sets it to {@code nanos} since its epoch; waits until the card has taken the value and shows it, which it does some
     * microseconds later.
     */
    public synchronized void set(long nanos) {
        if (nanos < 0) {
            throw new IllegalArgumentException("a clock cannot be set to " + nanos + " ns");
        }
        long begun = host.nanoTime();
        long seconds = nanos / NANOS_PER_SECOND;
        bar.write32(block + PHC_SET_NANOS, (int) (nanos % NANOS_PER_SECOND));
        bar.write32(block + PHC_SET_SECONDS_LOW, (int) seconds);
        bar.write32(block + PHC_SET_SECONDS_HIGH, (int) (seconds >>> 32)); // this one commits
        sets++;
        await("set the clock", PHC_STATUS_SET_PENDING);
        awaitReading("set the clock", nanos, begun);
    }

    /** Moves it by {@code nanos}, without a jump in what has been stamped where the card can do that (half a second). */
    public synchronized void adjust(long nanos) {
        if (Math.abs(nanos) > LARGEST_OFFSET) {
            set(nanos() + nanos);
            return;
        }
        long begun = host.nanoTime();
        long moved = nanos() + nanos;
        if (moved < 0) {
            throw new IllegalArgumentException("a clock cannot be moved by " + nanos + " ns to before its epoch");
        }
        bar.write32(block + PHC_OFFSET_NANOS, (int) nanos);
        sets++;
        await("move the clock", PHC_STATUS_OFFSET_PENDING);
        awaitReading("move the clock", moved, begun);
    }

    /** Makes it run faster than its nominal rate by so many parts in 10^9; negative is slower. */
    public synchronized void setRate(double partsPerBillion) {
        if (!(Math.abs(partsPerBillion) <= 1e8)) {
            throw new IllegalArgumentException("a rate of " + partsPerBillion + " ppb; at most a tenth off");
        }
        double period = periodNanos(PHC_NOMINAL_PERIOD_NANOS, PHC_NOMINAL_PERIOD_FRACTION)
                * (1 + partsPerBillion * 1e-9);
        long fixed = Math.round(period * 4294967296.0);
        bar.write32(block + PHC_PERIOD_FRACTION, (int) fixed);
        bar.write32(block + PHC_PERIOD_NANOS, (int) (fixed >>> 32)); // this one commits
        await("set the clock's rate", PHC_STATUS_PERIOD_PENDING);
    }

    /** How much faster than nominal it runs now, in parts of 10^9. */
    public synchronized double rate() {
        double nominal = periodNanos(PHC_NOMINAL_PERIOD_NANOS, PHC_NOMINAL_PERIOD_FRACTION);
        return (periodNanos(PHC_PERIOD_NANOS, PHC_PERIOD_FRACTION) / nominal - 1) * 1e9;
    }

    private double periodNanos(int nanos, int fraction) {
        double period = (bar.read32(block + nanos) & 0xFFFFFFFFL)
                + (bar.read32(block + fraction) & 0xFFFFFFFFL) / 4294967296.0;
        if (period <= 0 || period >= 1e6) {
            throw new DeviceException("read the clock's period", device, period + " ns", "reset the device");
        }
        return period;
    }

    /** Waits until what is read is {@code nanos}, and the time since {@code begun}: until then it is the former time. */
    private void awaitReading(String step, long nanos, long begun) {
        long ahead = 0;
        for (int look = 0; look < LOOKS; look++) {
            ahead = nanos() - nanos;
            long elapsed = host.nanoTime() - begun;
            if (ahead >= 0 && ahead <= elapsed + elapsed / 8 + READING_NANOS) { // the rate may be a tenth off
                return;
            }
            Thread.onSpinWait();
        }
        throw new DeviceException(step, device, "it shows a time " + ahead + " ns ahead of what it was set to",
                "set it again if another process has set it as well, else reset the device");
    }

    private void await(String step, int pending) {
        for (int look = 0; look < LOOKS; look++) {
            int status = bar.read32(block + PHC_STATUS);
            if (status == -1) {
                throw new DeviceRemovedException(step, device);
            }
            if ((status & pending) == 0) {
                return;
            }
            Thread.onSpinWait();
        }
        throw new DeviceException(step, device, "it stays pending", "reset the device");
    }
}
