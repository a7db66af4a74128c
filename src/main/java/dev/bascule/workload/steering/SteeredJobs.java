package dev.bascule.workload.steering;

import dev.bascule.host.JobRunner;
import dev.bascule.host.JobSource;
import dev.bascule.host.YieldPoint;
import dev.bascule.host.lauberhorn.DirectCalls;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.lauberhorn.RpcFront;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests as jobs of a live host: put by the thread that has the card, run on whichever core the agent decides, given back to
 * that thread. What the agent is told of one: its class, when it should be done (ten times what its procedure takes, after it
 * arrived) and how long its procedure takes, as measured so far.
 * <p>
 * Thread rule: {@link #put}, {@link #tell}, {@link #next} and {@link #answer} the card's thread; {@link JobSource} under the host's lock;
 * {@link #run} the CPUs. Allocation-free after construction, but for what handlers do.
 */
public final class SteeredJobs implements JobSource, JobRunner {
    /** {@link #next} when nothing was served. */
    static final int NONE = -1;

    private static final long DEADLINE_FACTOR = 10;
    private static final int AVERAGE_OVER = 16;

    private final DirectCalls calls;
    private final Steering steering;
    private final long limitNanos;
    private final long lookNanos;
    private final IdRing arrivals;
    private final IdRing results;
    private final DirectCalls.Place[] places;
    private final long[][] words;
    private final int[] bytes;
    private final int[] code;
    private final int[] taskClass;
    private final long[] arrivedNanos;
    private final long[] expectedNanos;
    private final long[] servedNanos;
    private final @Nullable Refusal[] refusals;
    private final long[] averageNanos;
    private volatile BooleanSupplier host = () -> true;
    private boolean isUntold;
    private volatile boolean closing;
    private volatile @Nullable Throwable lastFailure;

    /**
     * No jobs yet.
     *
     * @param most requests that there may be at a time
     * @param limitNanos a request that waited longer is refused and not served
     * @param lookNanos how often idle cores look for requests, though nobody told them
     */
    public SteeredJobs(DirectCalls calls, Steering steering, int most, long limitNanos, long lookNanos) {
        this.calls = calls;
        this.steering = steering;
        this.limitNanos = limitNanos;
        this.lookNanos = lookNanos;
        arrivals = new IdRing(most);
        results = new IdRing(most);
        places = new DirectCalls.Place[most + 1];
        Arrays.setAll(places, id -> new DirectCalls.Place());
        words = new long[most + 1][];
        bytes = new int[most + 1];
        code = new int[most + 1];
        taskClass = new int[most + 1];
        arrivedNanos = new long[most + 1];
        expectedNanos = new long[most + 1];
        servedNanos = new long[most + 1];
        refusals = new Refusal[most + 1];
        averageNanos = new long[calls.procedures()];
    }

    /** Sets the host that {@link #tell} tells: false if it has to be told again. */
    public void tells(BooleanSupplier newHost) {
        host = newHost;
    }

    // ---- the card's thread ---------------------------------------------------------------------------------------

    /** A request came in. */
    void put(RpcFront front, int id) {
        int procedure = (int) front.codePointer(id);
        words[id] = front.words(id);
        bytes[id] = front.bytes(id);
        code[id] = procedure;
        taskClass[id] = steering.classOf(front.flow(id), procedure);
        arrivedNanos[id] = front.arrivedNanos(id);
        expectedNanos[id] = averageNanos[procedure];
        arrivals.put(id);
        isUntold = true;
    }

    /** The host hears of what was put, if it has time; else at the next call. */
    void tell() {
        if (isUntold && host.getAsBoolean()) {
            isUntold = false;
        }
    }

    /** The next request that was served, or refused by the host; it stays until {@link #answer}. */
    int next() {
        return results.peek();
    }

    /** Answers it. */
    void answer(RpcFront front, int id) {
        results.take();
        Refusal why = refusals[id];
        if (why == null) {
            averageNanos[code[id]] += (servedNanos[id] - averageNanos[code[id]]) / AVERAGE_OVER;
            front.answer(id, places[id].result(), places[id].resultBytes());
        } else {
            front.refuse(id, why);
        }
    }

    /** No more requests will come; any thread: the host is done when those that are there are. */
    public void close() {
        closing = true;
    }

    /** Throwable that a handler threw last. */
    public @Nullable Throwable lastFailure() {
        return lastFailure;
    }

    // ---- the host ------------------------------------------------------------------------------------------------

    @Override
    public long nextDueNanos() {
        int id = arrivals.peek();
        if (id >= 0) {
            return arrivedNanos[id];
        }
        return closing ? NO_MORE : System.nanoTime() + lookNanos;
    }

    @Override
    public int take() {
        int id = arrivals.peek();
        arrivals.take();
        return id;
    }

    @Override
    public int classOf(int id) {
        return taskClass[id];
    }

    @Override
    public long deadlineNanos(int id) {
        return arrivedNanos[id] + DEADLINE_FACTOR * expectedNanos[id];
    }

    @Override
    public long expectedNanos(int id) {
        return expectedNanos[id];
    }

    @Override
    public void rejected(int id) {
        refusals[id] = Refusal.QUEUE_FULL;
        results.put(id);
    }

    @Override
    public void run(int id, YieldPoint yield) {
        long from = System.nanoTime();
        if (from - arrivedNanos[id] > limitNanos) {
            refusals[id] = Refusal.TOO_LATE;
        } else {
            refusals[id] = serve(id, yield);
            servedNanos[id] = System.nanoTime() - from;
        }
        results.put(id);
    }

    private @Nullable Refusal serve(int id, YieldPoint yield) {
        try {
            calls.serve(code[id], places[id], words[id], bytes[id], yield);
            return null;
        } catch (RuntimeException | Error e) {
            lastFailure = e;
            return Refusal.HANDLER_FAILED;
        }
    }
}
