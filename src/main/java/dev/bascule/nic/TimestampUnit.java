package dev.bascule.nic;

import dev.bascule.device.DeviceRemovedException;
import dev.bascule.ring.Clock;

/**
 * Time stamps made whole, of those in completions, which have 15 or 16 bits of the seconds; for drivers. It knows
 * what the card's clock shows by when it was read last and by the host's clock since, and reads it again before the
 * first stamp after four hours, after it was set here, and when a stamp lies elsewhere than those before it, because
 * another process has set it. Only a step of a multiple of what these bits hold (65,536 s) by another process stays
 * unseen, until the next reading. One per queue.
 * <p>
 * Thread rule: the queue's thread; {@link #synchronize} before it polls.
 */
public final class TimestampUnit {
    /** Clock of a card. */
    public interface CardClock {
        /** The time now, ns since its epoch; {@link DeviceRemovedException} if the card is gone. */
        long nanos();

        /** How often it was set or moved by this program. */
        default int sets() {
            return 0;
        }
    }

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    /** Less than half of what 15 bits of seconds hold, which is nine hours. */
    static final long FRESH_NANOS = 4 * 3600 * NANOS_PER_SECOND;

    /** After so long the clock shows what it was set to. */
    private static final long SETTLED_NANOS = 50_000;
    private static final int LOOKS = 100;

    private final CardClock clock;
    private final Clock host;
    private final int shift;
    private int sets;
    private long readNanos;
    private long readAtNanos;
    /** Time of the clock now, s, within a second. */
    private long seconds;
    /** How far the last unusual stamp was ahead of that. */
    private int ahead;
    /** Whether a stamp of this burst had it read already. */
    private boolean looked;
    /** From the clock's time to the one it kept before its last step; 0 if it made none. */
    private long former;

    /**
     * Makes one that must {@link #synchronize} before it is used.
     *
     * @param host the time that passes between readings
     * @param secondsBits bits of the seconds in a completion
     */
    public TimestampUnit(CardClock clock, Clock host, int secondsBits) {
        shift = Integer.SIZE - secondsBits;
        this.clock = clock;
        this.host = host;
    }

    /** Reads the clock, forgetting what it was before. */
    public void synchronize() {
        read(host.nanoTime());
        former = 0;
    }

    /** To be called before the stamps of each burst. */
    public void refresh() {
        long now = host.nanoTime();
        if (now - readAtNanos > FRESH_NANOS || clock.sets() != sets) {
            readStep(now);
        }
        seconds = (readNanos + now - readAtNanos) / NANOS_PER_SECOND;
        looked = false;
    }

    /**
     * Makes a stamp whole.
     *
     * @param nanos nanoseconds within the second
     * @param stamp the seconds as far as the completion has them; bits above them do not count
     * @return ns since the clock's epoch, or {@link PacketBatch#NO_TIMESTAMP}
     */
    public long extend(long nanos, int stamp) {
        int delta = cut(stamp - (int) seconds);
        long whole = isNear(delta) ? seconds + delta : unusual(stamp, delta);
        return nanos < NANOS_PER_SECOND && whole >= 0
                ? whole * NANOS_PER_SECOND + nanos
                : PacketBatch.NO_TIMESTAMP;
    }

    /** The seconds of a stamp that is old, or of a clock that has made a step. */
    private long unusual(int stamp, int delta) {
        if (!isFormer(stamp) && !isNear(delta - ahead) && !looked) {
            look(stamp);
        }
        if (isFormer(stamp)) { // it was taken before the step
            long then = seconds + former;
            return then + cut(stamp - (int) then);
        }
        return seconds + cut(stamp - (int) seconds);
    }

    /**
     * Reads the clock until it explains a stamp, which after a step by another process it does some microseconds
     * later.
     */
    private void look(int stamp) {
        looked = true;
        long begun = host.nanoTime();
        int looks = 0;
        do {
            readStep(host.nanoTime());
            ahead = cut(stamp - (int) seconds);
        } while (!isNear(ahead) && !isFormer(stamp) && ++looks < LOOKS && host.nanoTime() - begun < SETTLED_NANOS);
    }

    private boolean isFormer(int stamp) {
        return former != 0 && isNear(cut(stamp - (int) (seconds + former)));
    }

    /** Difference of seconds, of which so many bits are known, next to 0. */
    private int cut(int difference) {
        return difference << shift >> shift;
    }

    /** Within the second that a stamp and the time it is compared with may lie apart. */
    private static boolean isNear(int delta) {
        return delta >= -1 && delta <= 1;
    }

    private void readStep(long now) {
        long expected = (readNanos + now - readAtNanos) / NANOS_PER_SECOND;
        read(now);
        long step = expected - seconds;
        if (Math.abs(step) > 1) {
            former = step;
        }
    }

    private void read(long now) {
        try {
            sets = clock.sets(); // before the reading: a set meanwhile has it read again
            readNanos = clock.nanos();
            readAtNanos = now;
        } catch (DeviceRemovedException gone) {
            // check() says so; there will be no more stamps
        }
        seconds = (readNanos + now - readAtNanos) / NANOS_PER_SECOND;
        ahead = 0;
    }
}
