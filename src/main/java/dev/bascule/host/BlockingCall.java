package dev.bascule.host;

/**
 * Something a job waits for that needs no CPU: a disk, a socket, another program. See {@link YieldPoint#await}.
 *
 * @param <T> what comes of it
 * @param <E> how it may fail
 */
@FunctionalInterface
public interface BlockingCall<T, E extends Exception> {
    /** Does it; may block. Runs on a thread of its own, beside the host's CPUs. */
    T call() throws E;
}
