package dev.bascule.model.fabric;

import java.util.Arrays;

/**
 * A fabric's virtual time, in ps, and what is to happen in it. What is due at one moment happens in the order in which it
 * was asked for, so the same input gives the same run.
 */
public final class FabricTime {
    /** Picoseconds of a nanosecond. */
    public static final long NANO = 1_000;

    private long[] due = new long[256];
    private long[] order = new long[256];
    private Runnable[] what = new Runnable[256];
    private int size;
    private long asked;
    private long now;

    /** The present, ps since the fabric was made. */
    public long now() {
        return now;
    }

    /** Has {@code event} happen at {@code time}, at once if that is past. */
    public void at(long time, Runnable event) {
        if (size == due.length) {
            due = Arrays.copyOf(due, 2 * size);
            order = Arrays.copyOf(order, 2 * size);
            what = Arrays.copyOf(what, 2 * size);
        }
        int hole = size++;
        long moment = Math.max(time, now);
        long number = asked++;
        while (hole > 0) {
            int parent = (hole - 1) >>> 1;
            if (due[parent] <= moment) {
                break;
            }
            move(parent, hole);
            hole = parent;
        }
        due[hole] = moment;
        order[hole] = number;
        what[hole] = event;
    }

    /** Has the next event happen; false if nothing is to happen any more. */
    public boolean step() {
        if (size == 0) {
            return false;
        }
        Runnable event = what[0];
        now = due[0];
        size--;
        long lastDue = due[size];
        long lastOrder = order[size];
        Runnable last = what[size];
        what[size] = event; // overwritten below, or no longer reached
        int hole = 0;
        for (int child = 1; child < size; child = 2 * hole + 1) {
            if (child + 1 < size && isBefore(due[child + 1], order[child + 1], due[child], order[child])) {
                child++;
            }
            if (!isBefore(due[child], order[child], lastDue, lastOrder)) {
                break;
            }
            move(child, hole);
            hole = child;
        }
        due[hole] = lastDue;
        order[hole] = lastOrder;
        what[hole] = last;
        event.run();
        return true;
    }

    /** Goes on until nothing is to happen any more. */
    public void run() {
        while (step()) {
            // each step is one event
        }
    }

    /** Goes on until {@code time}; what is due then has happened. */
    public void runUntil(long time) {
        while (size > 0 && due[0] <= time) {
            step();
        }
        now = Math.max(now, time);
    }

    private void move(int from, int to) {
        due[to] = due[from];
        order[to] = order[from];
        what[to] = what[from];
    }

    private static boolean isBefore(long due, long order, long otherDue, long otherOrder) {
        return due != otherDue ? due < otherDue : order < otherOrder;
    }
}
