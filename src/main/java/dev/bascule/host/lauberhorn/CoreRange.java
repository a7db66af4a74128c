package dev.bascule.host.lauberhorn;

/**
 * When cores come to RPC work and leave it.
 *
 * @param least cores that always do RPC; 0: the first request of a calm time waits for a core to come
 * @param waitNanos a core comes when threads waited and no core idled whenever the kernel looked for so long
 * @param calmNanos a core leaves when one idled and no thread waited whenever the kernel looked for so long; far longer than
 *     {@code waitNanos}, so that cores do not come and go with every burst
 */
public record CoreRange(int least, long waitNanos, long calmNanos) {
    private static final long WAIT_NANOS = 1_000_000;
    private static final long CALM_NANOS = 50_000_000;

    /** Checks the numbers. */
    public CoreRange {
        if (least < 0 || waitNanos < 0 || calmNanos < waitNanos) {
            throw new IllegalArgumentException("cores by load: at least " + least + ", one more after " + waitNanos
                    + " ns, one fewer after " + calmNanos + " ns; cores and times from 0, and calm no shorter");
        }
    }

    /** One more after 1 ms, one fewer after 50 ms. */
    public static CoreRange from(int least) {
        return new CoreRange(least, WAIT_NANOS, CALM_NANOS);
    }

    /** This with another calm time. */
    public CoreRange withCalmNanos(long nanos) {
        return new CoreRange(least, Math.min(waitNanos, nanos), nanos);
    }
}
