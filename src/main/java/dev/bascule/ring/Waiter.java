package dev.bascule.ring;

/** Counterpart of a {@link Doorbell}: sleeps until it rings. */
@FunctionalInterface
public interface Waiter {
    /** For peers without a wake-up: waits in short naps. */
    Waiter NAPS = timeoutNanos -> {
        java.util.concurrent.locks.LockSupport.parkNanos(Math.min(timeoutNanos, 50_000));
        return false;
    };

    /**
     * Sleeps until the doorbell rings or the time is over; a ring since the last call returns at once.
     *
     * @return whether it rang
     */
    boolean await(long timeoutNanos);
}
