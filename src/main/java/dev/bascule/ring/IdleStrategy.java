package dev.bascule.ring;

/**
 * What a polling thread does when it found nothing. Implementations keep state for one thread.
 */
public interface IdleStrategy {
    /** Called after each round with the work found: 0 means idle a little, more than 0 resets. */
    void idle(int workCount);

    /** Spins with PAUSE ({@link Thread#onSpinWait}); for a thread that owns its core. */
    static IdleStrategy spin() {
        return workCount -> {
            if (workCount == 0) {
                Thread.onSpinWait();
            }
        };
    }
}
