package dev.bascule.model.enso;

/**
 * Head updates between the store and the pipe manager. It holds 128; when more than 124 wait, a further update is
 * counted and forgotten (the register keeps its value), which loses a notification.
 */
final class HeadUpdateQueue {
    private static final int LENGTH = 128;
    private static final int ALMOST_FULL = LENGTH - 4;

    private final int[] pipes = new int[LENGTH];
    private int first;
    private int size;

    /** False when the update is forgotten. */
    boolean offer(int pipe) {
        if (size > ALMOST_FULL) {
            return false;
        }
        pipes[(first + size) % LENGTH] = pipe;
        size++;
        return true;
    }

    boolean isEmpty() {
        return size == 0;
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
