package dev.bascule.policy;

import java.util.Arrays;

/** Tasks in the order of a key, oldest first among equals; any task can be taken out. O(log n), allocates nothing. */
final class TaskHeap {
    private static final int NONE = -1;

    private final int[] heap;
    private final int[] place;
    private final long[] key;
    private final long[] age;
    private int size;
    private long added;

    TaskHeap(int tasks) {
        heap = new int[tasks];
        place = new int[tasks];
        key = new long[tasks];
        age = new long[tasks];
        Arrays.fill(place, NONE);
    }

    int size() {
        return size;
    }

    int at(int index) {
        return heap[index];
    }

    long key(int task) {
        return key[task];
    }

    int first() {
        return size == 0 ? NONE : heap[0];
    }

    void add(int task, long newKey) {
        key[task] = newKey;
        age[task] = added++;
        heap[size] = task;
        place[task] = size;
        up(size++);
    }

    void remove(int task) {
        int at = place[task];
        if (at == NONE) {
            return;
        }
        place[task] = NONE;
        int last = heap[--size];
        if (last != task) {
            heap[at] = last;
            place[last] = at;
            up(at);
            down(place[last]);
        }
    }

    private boolean isBefore(int a, int b) {
        return key[a] != key[b] ? key[a] < key[b] : age[a] < age[b];
    }

    private void up(int from) {
        int at = from;
        int task = heap[at];
        while (at > 0 && isBefore(task, heap[at - 1 >> 1])) {
            move(heap[at - 1 >> 1], at);
            at = at - 1 >> 1;
        }
        move(task, at);
    }

    private void down(int from) {
        int at = from;
        int task = heap[at];
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
                child++;
            }
            if (!isBefore(heap[child], task)) {
                break;
            }
            move(heap[child], at);
            at = child;
        }
        move(task, at);
    }

    private void move(int task, int at) {
        heap[at] = task;
        place[task] = at;
    }
}
