package dev.bascule.host.sim;

/**
 * Words on their way over a link, in the order of their arrival: posted writes of one core do not overtake each other.
 * A reader lets what has arrived by its time take effect. Grows when more is on the way than ever before, else allocates nothing.
 */
final class PostedWrites {
    private long[] due = new long[1024];
    private long[] value = new long[1024];
    private int[] word = new int[1024];
    private int mask = 1023;
    private int head;
    private int tail;
    private long nextNanos = EventTree.NEVER;

    /** One word leaves and arrives at {@code nanos}. Words of one core come in the order of their times. */
    void post(long nanos, int index, long content) {
        if (tail - head > mask) {
            grow();
        }
        int at = tail++;
        while (at != head && due[at - 1 & mask] > nanos) { // another core's steps were simulated further ahead
            due[at & mask] = due[at - 1 & mask];
            word[at & mask] = word[at - 1 & mask];
            value[at & mask] = value[at - 1 & mask];
            at--;
        }
        due[at & mask] = nanos;
        word[at & mask] = index;
        value[at & mask] = content;
        if (at == head) {
            nextNanos = nanos;
        }
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
            memory[word[at & mask]] = value[at & mask];
            at++;
        }
        head = at;
        nextNanos = at == tail ? EventTree.NEVER : due[at & mask];
    }

    private void grow() {
        int size = (mask + 1) * 2;
        long[] newDue = new long[size];
        long[] newValue = new long[size];
        int[] newWord = new int[size];
        for (int i = head; i != tail; i++) {
            newDue[i & size - 1] = due[i & mask];
            newValue[i & size - 1] = value[i & mask];
            newWord[i & size - 1] = word[i & mask];
        }
        due = newDue;
        value = newValue;
        word = newWord;
        mask = size - 1;
    }
}
