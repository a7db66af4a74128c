package dev.bascule.agent;

import java.util.Arrays;

/**
 * A queue of task ids: first in, first out, or put first, and any can be taken out of the middle. All operations are O(1)
 * and allocate nothing. A task is in the queue at most once.
 * <p>
 * Thread rule: one thread.
 */
public final class TaskQueue {
    /** Returned by {@link #pollFirst} and {@link #peekFirst} when the queue is empty. */
    public static final int NONE = -1;
    private static final int OUTSIDE = -2;

    private final int[] next;
    private final int[] previous;
    private int first = NONE;
    private int last = NONE;
    private int size;

    /** An empty queue for task ids 0 to {@code tasks - 1}. */
    public TaskQueue(int tasks) {
        next = new int[tasks];
        previous = new int[tasks];
        Arrays.fill(next, OUTSIDE);
    }

    /** Number of tasks queued. */
    public int size() {
        return size;
    }

    /** Whether the task is queued. */
    public boolean contains(int task) {
        return next[task] != OUTSIDE;
    }

    /** Appends the task; false if it was there already. */
    public boolean addLast(int task) {
        if (contains(task)) {
            return false;
        }
        next[task] = NONE;
        previous[task] = last;
        if (last == NONE) {
            first = task;
        } else {
            next[last] = task;
        }
        last = task;
        size++;
        return true;
    }

    /** Puts the task before all others; false if it was there already. */
    public boolean addFirst(int task) {
        if (contains(task)) {
            return false;
        }
        next[task] = first;
        previous[task] = NONE;
        if (first == NONE) {
            last = task;
        } else {
            previous[first] = task;
        }
        first = task;
        size++;
        return true;
    }

    /** The first task, or {@link #NONE}. */
    public int peekFirst() {
        return first;
    }

    /** The task queued after {@code task}, or {@link #NONE}. */
    public int after(int task) {
        return next[task];
    }

    /** Takes the first task, or {@link #NONE}. */
    public int pollFirst() {
        int task = first;
        if (task != NONE) {
            remove(task);
        }
        return task;
    }

    /** Takes the task out; false if it was not there. */
    public boolean remove(int task) {
        if (!contains(task)) {
            return false;
        }
        int before = previous[task];
        int behind = next[task];
        if (before == NONE) {
            first = behind;
        } else {
            next[before] = behind;
        }
        if (behind == NONE) {
            last = before;
        } else {
            previous[behind] = before;
        }
        next[task] = OUTSIDE;
        size--;
        return true;
    }

    /** Takes everything out. */
    public void clear() {
        Arrays.fill(next, OUTSIDE);
        first = NONE;
        last = NONE;
        size = 0;
    }
}
