package dev.bascule.model.corundum;

/** A first-in first-out list of queue numbers, each in it at most once. */
final class Rotation {
    private final int[] ring;
    private final boolean[] member;
    private int head;
    private int size;

    Rotation(int queues) {
        ring = new int[queues];
        member = new boolean[queues];
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    boolean contains(int queue) {
        return member[queue];
    }

    int at(int index) {
        return ring[wrap(head + index)];
    }

    /** Moves a member to place {@code index}; those it passes move back by one. */
    void move(int queue, int index) {
        int from = 0;
        while (at(from) != queue) {
            from++;
        }
        for (int i = from; i > index; i--) {
            ring[wrap(head + i)] = at(i - 1);
        }
        for (int i = from; i < index; i++) {
            ring[wrap(head + i)] = at(i + 1);
        }
        ring[wrap(head + index)] = queue;
    }

    /** Appends a queue unless it is already in. */
    void add(int queue) {
        if (!member[queue]) {
            member[queue] = true;
            ring[wrap(head + size)] = queue;
            size++;
        }
    }

    /** Takes the first; only when not empty. */
    int remove() {
        int queue = ring[head];
        head = wrap(head + 1);
        size--;
        member[queue] = false;
        return queue;
    }

    void clear() {
        while (size > 0) {
            remove();
        }
    }

    private int wrap(int index) {
        return index < ring.length ? index : index - ring.length;
    }
}
