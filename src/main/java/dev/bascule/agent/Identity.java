package dev.bascule.agent;

/**
 * Task id, sequence number and epoch in one 8-byte word, so that no torn line can pair an old number with a new task.
 * <p>
 * Layout, high to low: epoch 16 bits, sequence number 28 bits, task id 20 bits. A task id is the index of its status
 * word; its sequence number goes on rising when the id is used again, so a reused id is never mistaken for its former
 * task.
 */
public final class Identity {
    /** One more than the largest task id; the topmost ids are the special targets of {@link Transaction}. */
    public static final int MAX_TASKS = (1 << 20) - 16;

    private static final int TASK_BITS = 20;
    private static final int SEQUENCE_BITS = 28;
    private static final int TASK_MASK = (1 << TASK_BITS) - 1;
    private static final int SEQUENCE_MASK = (1 << SEQUENCE_BITS) - 1;

    private Identity() {}

    /** Packs the three; each is cut to its width. */
    public static long of(int epoch, int sequence, int task) {
        return ((long) (epoch & 0xffff) << (TASK_BITS + SEQUENCE_BITS))
                | ((long) (sequence & SEQUENCE_MASK) << TASK_BITS)
                | (task & TASK_MASK);
    }

    /** The task id, 0 to 2^20 - 1. */
    public static int task(long identity) {
        return (int) identity & TASK_MASK;
    }

    /** The sequence number, 0 to 2^28 - 1. */
    public static int sequence(long identity) {
        return (int) (identity >>> TASK_BITS) & SEQUENCE_MASK;
    }

    /** The epoch, 0 to 65,535. */
    public static int epoch(long identity) {
        return (int) (identity >>> (TASK_BITS + SEQUENCE_BITS));
    }

    /** The sequence number after {@code sequence}, with wrap. */
    static int next(int sequence) {
        return (sequence + 1) & SEQUENCE_MASK;
    }

    /** Whether sequence number {@code a} is later than {@code b}, within half the number space. */
    static boolean isAfter(int a, int b) {
        return (a - b) << (Integer.SIZE - SEQUENCE_BITS) > 0;
    }
}
