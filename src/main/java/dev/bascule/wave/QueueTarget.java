package dev.bascule.wave;

/**
 * Owner of a queue.
 *
 * @param kind what {@code number} counts
 * @param number from 0 on
 */
public record QueueTarget(Kind kind, int number) {
    /** Kinds of target. */
    public enum Kind {
        /** A task, by its id. */
        TASK,
        /** A CPU. */
        CPU,
        /** An agent. */
        AGENT
    }

    /** Checks the number. */
    public QueueTarget {
        if (number < 0) {
            throw new IllegalArgumentException("queue target " + kind + " " + number + "; numbers start at 0");
        }
    }
}
