package dev.bascule.workload.lauberhorn;

import java.util.Arrays;

/** Events in virtual time, earliest first, those of one time in the order in which they were added. Allocation-free. */
final class Events {
    private long[] times = new long[256];
    private long[] orders = new long[256];
    private int[] kinds = new int[256];
    private int[] numbers = new int[256];
    private int size;
    private long added;
    private long now;
    private int kind;
    private int number;

    void add(long atNanos, int ofKind, int ofNumber) {
        if (size == times.length) {
            times = Arrays.copyOf(times, 2 * size);
            orders = Arrays.copyOf(orders, 2 * size);
            kinds = Arrays.copyOf(kinds, 2 * size);
            numbers = Arrays.copyOf(numbers, 2 * size);
        }
        int at = size++;
        put(at, Math.max(atNanos, now), added++, ofKind, ofNumber);
        while (at > 0 && isBefore(at, (at - 1) / 2)) {
            swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    /** Takes the next one; false if there is none. */
    boolean next() {
        if (size == 0) {
            return false;
        }
        now = times[0];
        kind = kinds[0];
        number = numbers[0];
        swap(0, --size);
        int at = 0;
        while (true) {
            int least = 2 * at + 1;
            if (least >= size) {
                return true;
            }
            least = least + 1 < size && isBefore(least + 1, least) ? least + 1 : least;
            if (!isBefore(least, at)) {
                return true;
            }
            swap(at, least);
            at = least;
        }
    }

    long now() {
        return now;
    }

    int kind() {
        return kind;
    }

    int number() {
        return number;
    }

    private boolean isBefore(int a, int b) {
        return times[a] < times[b] || times[a] == times[b] && orders[a] < orders[b];
    }

    private void put(int at, long time, long order, int ofKind, int ofNumber) {
        times[at] = time;
        orders[at] = order;
        kinds[at] = ofKind;
        numbers[at] = ofNumber;
    }

    private void swap(int a, int b) {
        long time = times[a];
        long order = orders[a];
        int k = kinds[a];
        int n = numbers[a];
        put(a, times[b], orders[b], kinds[b], numbers[b]);
        put(b, time, order, k, n);
    }
}
