package dev.bascule.app;

import java.util.Arrays;

/** When the packets of a {@link Generator} are due. */
@FunctionalInterface
public interface Pace {
    /** Without waiting. */
    Pace AS_FAST_AS_POSSIBLE = (elapsedNanos, sent, most) -> most;

    /**
     * How many packets are due now.
     *
     * @param elapsedNanos since the generator was started
     * @param sent packets sent so far
     * @param most not more than so many, at least 0
     */
    int due(long elapsedNanos, long sent, int most);

    /** The first packet at once, then so many per second; 0 for as fast as possible. */
    static Pace rate(long packetsPerSecond) {
        if (packetsPerSecond == 0) {
            return AS_FAST_AS_POSSIBLE;
        }
        if (packetsPerSecond < 0) {
            throw new IllegalArgumentException(packetsPerSecond + " packets per second");
        }
        double packetsPerNano = packetsPerSecond / 1e9;
        return (elapsedNanos, sent, most) -> (int) Math.clamp((long) (elapsedNanos * packetsPerNano) + 1 - sent, 0,
                most);
    }

    /**
     * As recorded, over and over: between the last packet and the first of the next round lies the mean distance. A packet
     * that was recorded before its predecessor follows it at once.
     *
     * @param timesNanos when each was recorded, by any clock
     * @param speed 1 as recorded, 2 in half the time
     */
    static Pace recorded(long[] timesNanos, double speed) {
        if (timesNanos.length == 0 || !(speed > 0)) {
            throw new IllegalArgumentException(timesNanos.length + " packets at " + speed + " times their speed");
        }
        long[] times = Arrays.stream(timesNanos).map(time -> time - timesNanos[0]).toArray();
        for (int i = 1; i < times.length; i++) {
            times[i] = Math.max(times[i], times[i - 1]);
        }
        long last = times[times.length - 1];
        long roundNanos = last + last / Math.max(1, times.length - 1);
        return (elapsedNanos, sent, most) -> {
            long now = (long) (elapsedNanos * speed);
            int count = 0;
            while (count < most
                    && (sent + count) / times.length * roundNanos
                            + times[(int) ((sent + count) % times.length)] <= now) {
                count++;
            }
            return count;
        };
    }
}
