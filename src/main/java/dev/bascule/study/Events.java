package dev.bascule.study;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Events of a simulation in virtual time, in its unit, the earliest first. What is due at one moment happens in the
 * order in which it was asked for, so the same input gives the same run. Allocation-free: what happens is a function
 * that its user keeps, and a number for it. One thread.
 */
public final class Events {
    private long[] due = new long[256];
    private long[] order = new long[256];
    private IntConsumer[] what = new IntConsumer[256];
    private int[] numbers = new int[256];
    private int size;
    private long asked;
    private long now;

    /** The present, since the simulation began. */
    public long now() {
        return now;
    }

    /** Has {@code event} happen at {@code time}, at once if that is past. Its number is 0. */
    public void at(long time, IntConsumer event) {
        at(time, event, 0);
    }

    /** Has {@code event} happen with {@code number} at {@code time}, at once if that is past. */
    public void at(long time, IntConsumer event, int number) {
        if (size == due.length) {
            due = Arrays.copyOf(due, 2 * size);
            order = Arrays.copyOf(order, 2 * size);
            what = Arrays.copyOf(what, 2 * size);
            numbers = Arrays.copyOf(numbers, 2 * size);
        }
        int hole = size++;
        long moment = Math.max(time, now);
        while (hole > 0 && due[(hole - 1) >>> 1] > moment) {
            int parent = (hole - 1) >>> 1;
            move(parent, hole);
            hole = parent;
        }
        due[hole] = moment;
        order[hole] = asked++;
        what[hole] = event;
        numbers[hole] = number;
    }

    /** Has the next event happen; false if nothing is to happen any more. */
    public boolean step() {
        if (size == 0) {
            return false;
        }
        IntConsumer event = what[0];
        int number = numbers[0];
        now = due[0];
        int last = --size;
        int hole = 0;
        for (int child = 1; child < last; child = 2 * hole + 1) {
            if (child + 1 < last && isBefore(child + 1, child)) {
                child++;
            }
            if (isBefore(last, child)) {
                break;
            }
            move(child, hole);
            hole = child;
        }
        move(last, hole);
        event.accept(number);
        return true;
    }

    /** Goes on until nothing is to happen any more. */
    public void run() {
        while (step()) {
            // each step is one event
        }
    }

    private void move(int from, int to) {
        due[to] = due[from];
        order[to] = order[from];
        what[to] = what[from];
        numbers[to] = numbers[from];
    }

    private boolean isBefore(int one, int other) {
        return due[one] != due[other] ? due[one] < due[other] : order[one] < order[other];
    }
}
