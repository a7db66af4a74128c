package dev.bascule.model.corundum;

/** Growing first-in first-out list of ints. */
final class IntFifo {
    private int[] ring = new int[16];
    private int head;
    private int tail;

    boolean isEmpty() {
        return head == tail;
    }

    void add(int value) {
        if (tail - head == ring.length) {
            int[] larger = new int[ring.length * 2];
            for (int i = 0; i < ring.length; i++) {
                larger[i] = ring[head + i & ring.length - 1];
            }
            tail = ring.length;
            head = 0;
            ring = larger;
        }
        ring[tail++ & ring.length - 1] = value;
    }

    int first() {
        return ring[head & ring.length - 1];
    }

    int size() {
        return tail - head;
    }

    int remove() {
        return ring[head++ & ring.length - 1];
    }

    void clear() {
        head = 0;
        tail = 0;
    }
}
