package dev.bascule.model.enso;

/**
 * Head updates between the store and the pipe manager. It holds 128; when more than 124 wait, a further update is
 * counted and forgotten (the register keeps its value), which loses a notification.
 */
final class HeadUpdateQueue {
    private static final int LENGTH = 128;
    private static final int ALMOST_FULL = LENGTH - 4;

    private final int[] pipes = new int[LENGTH];
    private final long[] dueCycles = new long[LENGTH];
    private int first;
    private int size;

    /** Whether a further update is forgotten. */
    boolean isFull() {
        return size > ALMOST_FULL;
    }

    /** False when the update is forgotten; it is answered from the cycle {@code due} on. */
    boolean offer(int pipe, long due) {
        if (isFull()) {
            return false;
        }
        int slot = (first + size) % LENGTH;
        pipes[slot] = pipe;
        dueCycles[slot] = due;
        size++;
        return true;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Whether the oldest update is answered by {@code cycle}; false if there is none. */
    boolean isDue(long cycle) {
        return size > 0 && dueCycles[first] - cycle <= 0;
    }

    int remove() {
        int pipe = pipes[first];
        first = (first + 1) % LENGTH;
        size--;
        return pipe;
    }

    void clear() {
        size = 0;
    }
}
