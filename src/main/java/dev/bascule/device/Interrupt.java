package dev.bascule.device;

/**
 * One open interrupt vector. Deliveries are counted; several raises may merge into one delivery, so a driver looks at
 * its queues and never counts work by interrupts.
 * <p>
 * Thread rule: {@code mask}, {@code unmask}, {@code close} from the owner; {@code poll} and {@code await} from one
 * waiting thread.
 */
public interface Interrupt extends AutoCloseable {
    /** The value of {@link #eventFd()} when there is none. */
    int NO_EVENT_FD = -1;

    /** Kind of the interrupt. */
    InterruptKind kind();

    /** Vector number within the kind. */
    int vector();

    /** The eventfd that becomes readable on delivery, for epoll; {@link #NO_EVENT_FD} where the backing has none. */
    int eventFd();

    /** Deliveries since the last {@code poll} or {@code await}; never blocks. */
    long poll();

    /**
     * Waits for a delivery.
     *
     * @param timeoutNanos longest wait; 0 only looks
     * @return deliveries since the last look, 0 after the timeout
     */
    long await(long timeoutNanos);

    /** Holds deliveries back; a raise meanwhile becomes pending. */
    void mask();

    /** Lets deliveries through; a pending one is delivered now. */
    void unmask();

    /** Whether a raise is held back by a mask. */
    boolean pending();

    /** Gives the vector back; later raises go nowhere. Twice is harmless. */
    @Override
    void close();
}
