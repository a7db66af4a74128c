package dev.bascule.workload;

import dev.bascule.host.YieldPoint;

/**
 * Work of a request. Called by the task that carries the request; many tasks may be inside at the same time, each once
 * per request. Does not allocate in steady state.
 */
public interface Service extends AutoCloseable {
    /** The answer is right. */
    int OK = 0;
    /** An answer came but it is not what was stored: to be counted, never to be hidden. */
    int WRONG_ANSWER = 1;
    /** The service refused or failed. */
    int FAILED = 2;

    /**
     * Runs one request to its end.
     *
     * @param requestId
     *            unique in the run; decides which data is touched
     * @param kind
     *            index in {@link #mix()}
     * @param yield
     *            called now and then during long requests
     * @return {@link #OK}, {@link #WRONG_ANSWER} or {@link #FAILED}
     * @throws IllegalStateException
     *             after {@link #close()}
     */
    int execute(long requestId, int kind, YieldPoint yield);

    /** Requests/s that it answers at most, however many CPUs it has, because of what it waits for. */
    default double mostPerSecond() {
        return Double.POSITIVE_INFINITY;
    }

    /** The kinds this service knows with their shares; their service times are of a CPU, without waits. */
    ServiceMix mix();

    /** One line per fact a report must print: sizes, and service times as measured on this machine. */
    String describe();

    @Override
    void close();
}
