package dev.bascule.workload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ledger of what became of each request, by id: the proof at the end of a run that none was lost or run twice. One bit
 * per id and step; a bit set twice is a duplicate. Thread-safe, does not allocate.
 */
public final class RequestLedger {
    private static final VarHandle BITS = MethodHandles.arrayElementVarHandle(long[].class);

    private final int capacity;
    private final long[] issued;
    private final long[] started;
    private final long[] ended;
    private final AtomicLong duplicated = new AtomicLong();
    private final AtomicLong unknown = new AtomicLong();
    private final AtomicLong rejected = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    /** A ledger for ids 0 to {@code capacity - 1}. */
    RequestLedger(int capacity) {
        if (capacity < 0) {
            throw new IllegalArgumentException("capacity is negative: " + capacity);
        }
        this.capacity = capacity;
        int words = (capacity + 63) >>> 6;
        issued = new long[words];
        started = new long[words];
        ended = new long[words];
    }

    /** The source handed out this id. */
    void issued(long id) {
        mark(issued, id);
    }

    /** A task began to execute this request; a resumed task does not begin again. */
    public void started(long id) {
        if (known(id)) {
            mark(started, id);
        }
    }

    /** A task ended this request with a status of {@link Service}. */
    public void completed(long id, int status) {
        if (!known(id) || !mark(ended, id)) {
            return;
        }
        if (status == Service.WRONG_ANSWER) {
            wrong.incrementAndGet();
        } else if (status != Service.OK) {
            failed.incrementAndGet();
        }
    }

    /** The host refused this request before it started (no free task, shutting down). */
    public void rejected(long id) {
        if (known(id) && mark(ended, id)) {
            rejected.incrementAndGet();
        }
    }

    /** Whether this request was completed or rejected. */
    boolean isEnded(long id) {
        return id >= 0 && id < capacity && isSet(ended, id);
    }

    /** Counts as they are now; lost is only meaningful after the last request had time to end. */
    public Summary summary() {
        long issuedCount = count(issued);
        long endedCount = count(ended);
        long rejectedCount = rejected.get();
        return new Summary(issuedCount, count(started), endedCount - rejectedCount, rejectedCount,
                issuedCount - endedCount, duplicated.get(), unknown.get(), wrong.get(), failed.get());
    }

    private boolean known(long id) {
        if (id >= 0 && id < capacity && isSet(issued, id)) {
            return true;
        }
        unknown.incrementAndGet();
        return false;
    }

    private boolean mark(long[] bits, long id) {
        long bit = 1L << id;
        long before = (long) BITS.getAndBitwiseOr(bits, (int) (id >>> 6), bit);
        if ((before & bit) != 0) {
            duplicated.incrementAndGet();
            return false;
        }
        return true;
    }

    private static boolean isSet(long[] bits, long id) {
        return ((long) BITS.getAcquire(bits, (int) (id >>> 6)) & 1L << id) != 0;
    }

    private static long count(long[] bits) {
        long sum = 0;
        for (int i = 0; i < bits.length; i++) {
            sum += Long.bitCount((long) BITS.getAcquire(bits, i));
        }
        return sum;
    }

    /**
     * Counts of requests.
     *
     * @param issued
     *            handed out by the source
     * @param started
     *            begun at least once
     * @param completed
     *            ended by a task, whatever the status
     * @param rejected
     *            refused before they started
     * @param lost
     *            issued, neither completed nor rejected
     * @param duplicated
     *            steps done twice for the same id
     * @param unknown
     *            steps for ids that were never issued
     * @param wrongAnswers
     *            completed with a wrong answer
     * @param failed
     *            completed with a failure
     */
    public record Summary(long issued, long started, long completed, long rejected, long lost, long duplicated,
            long unknown, long wrongAnswers, long failed) {
        /** Whether every request was ended exactly once with a right answer, or refused. */
        public boolean isClean() {
            return lost == 0 && duplicated == 0 && unknown == 0 && wrongAnswers == 0 && failed == 0;
        }
    }
}
