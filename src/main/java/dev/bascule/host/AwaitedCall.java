package dev.bascule.host;

import org.jspecify.annotations.Nullable;

/**
 * A call that a job waits for without a CPU, and what came of it.
 * <p>
 * Thread rule: made by the job's thread, run by another, asked by the job's again; the host's lock, which the other takes
 * to wake the task, orders them.
 */
final class AwaitedCall<T, E extends Exception> implements Runnable {
    private final BlockingCall<T, E> call;
    private @Nullable T result;
    private @Nullable Throwable failure;
    private volatile boolean ended;

    AwaitedCall(BlockingCall<T, E> call) {
        this.call = call;
    }

    @Override
    public void run() {
        try {
            result = call.call();
        } catch (Throwable e) { // all of them are the job's
            failure = e;
        }
        ended = true;
    }

    @SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals", "NullAway" }) // what the call returned, and may throw
    T result() throws E {
        if (!ended) {
            throw new IllegalStateException("the host was closed while the job waited");
        }
        Throwable why = failure;
        if (why instanceof Error error) {
            throw error;
        }
        if (why != null) {
            throw (E) why;
        }
        return result;
    }
}
