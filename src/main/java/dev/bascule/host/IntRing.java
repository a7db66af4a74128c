package dev.bascule.host;

/** A bounded queue of ints for one thread. */
final class IntRing {
    private final int[] items;
    private int head;
    private int size;

    IntRing(int capacity) {
        items = new int[capacity];
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    boolean offer(int item) {
        if (size == items.length) {
            return false;
        }
        items[(head + size) % items.length] = item;
        size++;
        return true;
    }

    /** The oldest, which stays. */
    int peek() {
        return items[head];
    }

    int poll() {
        int item = items[head];
        head = head + 1 == items.length ? 0 : head + 1;
        size--;
        return item;
    }
}
