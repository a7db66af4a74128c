package dev.bascule.workload;

import java.util.SplittableRandom;

/**
 * The requests of one load point, handed out when they are due. A host loop asks {@link #nextDueNanos()} and, when
 * that time has come, {@link #take()}. Requests that came late because the loop was busy keep their intended time, so
 * that a latency counted from it includes the wait.
 * <p>
 * Ids count from 0 and are unique within a source. Thread rule: {@code nextDueNanos} and {@code take} belong to one
 * thread; {@code kindOf} and {@code intendedNanos} may be called by any thread that got the id from it by a
 * synchronised hand-over. Does not allocate after construction.
 */
public final class RequestSource {
    /** {@link #nextDueNanos()} when there will be no more. */
    public static final long NO_MORE = Long.MAX_VALUE;

    private final ServiceMix mix;
    private final Arrivals.Times arrivals;
    private final SplittableRandom kindRandom;
    private final RequestLedger ledger;
    private final long startNanos;
    private final long durationNanos;
    private final long[] intended;
    private final byte[] kinds;
    private int next;
    private long dueNanos;

    /** Requests that come one by one, as a Poisson process. */
    public RequestSource(ServiceMix mix, double requestsPerSecond, long durationNanos, long startNanos, long seed) {
        this(mix, Arrivals.POISSON, requestsPerSecond, durationNanos, startNanos, seed);
    }

    /**
     * @param mix
     *            kinds and shares
     * @param process
     *            of the arrivals, as in the simulator: the same seed and rate give the same times there
     * @param requestsPerSecond
     *            offered load, in the mean
     * @param durationNanos
     *            how long requests arrive
     * @param startNanos
     *            {@link System#nanoTime()} of the first moment
     * @param seed
     *            decides every time and kind
     */
    public RequestSource(ServiceMix mix, Arrivals process, double requestsPerSecond, long durationNanos,
            long startNanos, long seed) {
        if (durationNanos <= 0) {
            throw new IllegalArgumentException("duration must be more than 0: " + durationNanos);
        }
        this.mix = mix;
        SplittableRandom seeds = new SplittableRandom(seed);
        this.arrivals = process.times(requestsPerSecond, seeds.split());
        this.kindRandom = seeds.split();
        this.startNanos = startNanos;
        this.durationNanos = durationNanos;
        int capacity = capacity(process.most(requestsPerSecond * durationNanos / 1e9, requestsPerSecond));
        this.intended = new long[capacity];
        this.kinds = new byte[capacity];
        this.ledger = new RequestLedger(capacity);
        draw();
    }

    /** Mean plus eight standard deviations of the count: never reached, and if it is, the source just ends. */
    private static int capacity(double most) {
        double wanted = Math.ceil(most);
        if (wanted > 1 << 28) {
            throw new IllegalArgumentException("more than 268 million requests; lower the load or the duration");
        }
        return (int) wanted;
    }

    /** When the next request is due on the clock of {@link System#nanoTime()}; {@link #NO_MORE} after the last. */
    public long nextDueNanos() {
        return dueNanos;
    }

    /**
     * Takes the next request, due or not, and enters it in the ledger as issued.
     *
     * @return its id
     * @throws IllegalStateException
     *             when there is no more
     */
    public int take() {
        if (dueNanos == NO_MORE) {
            throw new IllegalStateException("no more requests; check nextDueNanos() first");
        }
        int id = next++;
        ledger.issued(id);
        draw();
        return id;
    }

    private void draw() {
        long at = arrivals.nextNanos();
        if (next >= intended.length || at >= durationNanos) {
            dueNanos = NO_MORE;
            return;
        }
        dueNanos = startNanos + at;
        intended[next] = dueNanos;
        kinds[next] = (byte) mix.pick(kindRandom);
    }

    /** Kind of an issued request: index in the mix. */
    public int kindOf(int id) {
        return kinds[id];
    }

    /** When an issued request was meant to arrive, {@link System#nanoTime()}. */
    public long intendedNanos(int id) {
        return intended[id];
    }

    /** The ledger of this source's ids. */
    public RequestLedger ledger() {
        return ledger;
    }
}
