package dev.bascule.swap;

/** Messages that wait at the host for a lane, oldest first. One thread. Allocates nothing after construction. */
final class ParcelQueue {
    private final int words;
    private final long[] ring;
    private final int[] counts;
    private int head;
    private int tail;

    /**
     * An empty queue.
     *
     * @param entries messages it holds, a power of two
     * @param words longest message
     */
    ParcelQueue(int entries, int words) {
        this.words = words;
        ring = new long[entries * words];
        counts = new int[entries];
    }

    boolean isEmpty() {
        return head == tail;
    }

    /** False if it is full. */
    boolean add(long[] from, int count) {
        if (tail - head == counts.length) {
            return false;
        }
        int slot = tail++ & counts.length - 1;
        System.arraycopy(from, 0, ring, slot * words, count);
        counts[slot] = count;
        return true;
    }

    /** Copies the oldest and returns its length; there is one. */
    int take(long[] into) {
        int slot = head++ & counts.length - 1;
        System.arraycopy(ring, slot * words, into, 0, counts[slot]);
        return counts[slot];
    }

    void clear() {
        head = tail;
    }
}
