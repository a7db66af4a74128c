package dev.bascule.study.sim;

import java.util.Arrays;

/**
 * Words on their way over a link, in the order of their arrival: posted writes of one core do not overtake each other. What
 * leaves together, some words of one line, travels as one. A reader lets what has arrived by its time take effect. Grows
 * when more is on the way than ever before, else allocates nothing.
 * <p>
 * Thread rule: one thread, that of the simulated host, which runs all of its CPUs and agents.
 */
final class PostedWrites {
    private static final int WHOLE = 0xff;

    private long[] due = new long[256];
    private int[] slot = new int[256];
    private long[] value = new long[256 * 8];
    private int[] line = new int[256];
    private int[] words = new int[256];
    private int mask = 255;
    private int head;
    private int tail;
    private long nextNanos = EventTree.NEVER;
    private long posted;
    private long lastNanos;
    private long heldUntil;

    PostedWrites() {
        Arrays.setAll(slot, i -> i);
    }

    /** One word leaves and arrives at {@code nanos}. Words of one core come in the order of their times. */
    void post(long nanos, int word, long content) {
        int free = add(nanos);
        line[free] = word >>> 3;
        words[free] = 1 << (word & 7);
        value[free * 8 + (word & 7)] = content;
    }

    /**
     * A write of those words of a line that {@code which} has a bit for; they lie in {@code from} from {@code at} on.
     */
    void post(long nanos, int lineNumber, int which, long[] from, int at) {
        int free = add(nanos);
        line[free] = lineNumber;
        words[free] = which;
        System.arraycopy(from, at, value, free * 8, 8);
    }

    /** Room for one more; slots that are not in use stand behind those that are. */
    private int add(long earliest) {
        long nanos = Math.max(earliest, heldUntil);
        if (tail - head > mask) {
            grow();
        }
        posted++;
        lastNanos = nanos;
        int at = tail++;
        int free = slot[at & mask];
        while (at != head && due[at - 1 & mask] > nanos) { // another core's steps were simulated further ahead
            due[at & mask] = due[at - 1 & mask];
            slot[at & mask] = slot[at - 1 & mask];
            at--;
        }
        due[at & mask] = nanos;
        slot[at & mask] = free;
        if (at == head) {
            nextNanos = nanos;
        }
        return free;
    }

    /**
     * Makes writes from now on come after all that has left, though its writer's time be earlier: the former held a
     * lock.
     */
    void hold() {
        heldUntil = lastNanos;
    }

    /** How many have left so far. */
    long posted() {
        return posted;
    }

    /** When what left last arrives, or arrived. */
    long lastNanos() {
        return lastNanos;
    }

    /** How many have arrived and taken effect. */
    long arrived() {
        return posted - (tail - head);
    }

    /** When the oldest word arrives; {@link EventTree#NEVER} if none is on its way. */
    long nextNanos() {
        return nextNanos;
    }

    /** Writes what has arrived by {@code nowNanos}. */
    void apply(long nowNanos, long[] memory) {
        if (nextNanos <= nowNanos) {
            deliver(nowNanos, memory);
        }
    }

    private void deliver(long nowNanos, long[] memory) {
        int at = head;
        while (at != tail && due[at & mask] <= nowNanos) {
            int from = slot[at & mask];
            int first = line[from] * 8;
            if (words[from] == WHOLE) {
                System.arraycopy(value, from * 8, memory, first, 8);
            } else {
                for (int left = words[from]; left != 0; left &= left - 1) {
                    int i = Integer.numberOfTrailingZeros(left);
                    memory[first + i] = value[from * 8 + i];
                }
            }
            at++;
        }
        head = at;
        nextNanos = at == tail ? EventTree.NEVER : due[at & mask];
    }

    private void grow() {
        int size = (mask + 1) * 2;
        long[] newDue = new long[size];
        int[] newSlot = new int[size];
        Arrays.setAll(newSlot, i -> i);
        for (int i = 0; i <= mask; i++) { // all are in use
            newDue[i] = due[head + i & mask];
            newSlot[i] = slot[head + i & mask];
        }
        due = newDue;
        slot = newSlot;
        value = Arrays.copyOf(value, size * 8);
        line = Arrays.copyOf(line, size);
        words = Arrays.copyOf(words, size);
        mask = size - 1;
        head = 0;
        tail = size / 2;
    }
}
