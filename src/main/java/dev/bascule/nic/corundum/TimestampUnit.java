package dev.bascule.nic.corundum;

import dev.bascule.nic.PacketBatch;

/**
 * Makes whole time stamps of those in completions, which have 16 bits of the seconds: right as long as packets come or
 * the clock is read every nine hours. One per queue.
 */
final class TimestampUnit {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private long seconds;

    /** @param seconds the clock's, now */
    TimestampUnit(long seconds) {
        this.seconds = seconds;
    }

    /** The clock was read. */
    void synchronize(long clockSeconds) {
        seconds = clockSeconds;
    }

    /** @param word bytes 8 to 15 of a completion: nanoseconds, then 16 bits of seconds */
    long extend(long word) {
        long nanos = word & 0xFFFFFFFFL;
        seconds += (short) ((int) (word >>> 32) - (int) seconds);
        return nanos < NANOS_PER_SECOND && seconds >= 0
                ? seconds * NANOS_PER_SECOND + nanos
                : PacketBatch.NO_TIMESTAMP;
    }
}
