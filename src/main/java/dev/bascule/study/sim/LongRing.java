package dev.bascule.study.sim;

/** A queue of longs that grows when it must. */
final class LongRing {
    private long[] items;
    private int head;
    private int tail;

    LongRing(int capacity) {
        items = new long[Math.max(2, Integer.highestOneBit(Math.max(1, capacity - 1)) << 1)];
    }

    boolean isEmpty() {
        return head == tail;
    }

    int size() {
        return tail - head;
    }

    void add(long value) {
        if (tail - head == items.length) {
            long[] larger = new long[items.length * 2];
            for (int i = head; i != tail; i++) {
                larger[i & larger.length - 1] = items[i & items.length - 1];
            }
            items = larger;
        }
        items[tail++ & items.length - 1] = value;
    }

    long peek() {
        return items[head & items.length - 1];
    }

    long poll() {
        return items[head++ & items.length - 1];
    }

    /** The last value's bits change, so that it is negative: a mark that is taken off in the same way. */
    void invertLast() {
        items[tail - 1 & items.length - 1] = ~items[tail - 1 & items.length - 1];
    }

    void clear() {
        head = 0;
        tail = 0;
    }
}
