package dev.bascule.lauberhorn;

/** Requests of one process, oldest first; a ring of a fixed size. Thread rule: the NIC's thread. */
final class RequestQueue {
    private final int[] requests;
    private int head;
    private int size;

    RequestQueue(int capacity) {
        requests = new int[capacity];
    }

    boolean isFull() {
        return size == requests.length;
    }

    int size() {
        return size;
    }

    int capacity() {
        return requests.length;
    }

    void push(int request) {
        requests[(head + size++) % requests.length] = request;
    }

    /** The i-th oldest. */
    int get(int i) {
        return requests[(head + i) % requests.length];
    }

    int pop() {
        int request = requests[head];
        head = head + 1 == requests.length ? 0 : head + 1;
        size--;
        return request;
    }
}
