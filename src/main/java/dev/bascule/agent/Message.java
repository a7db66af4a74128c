package dev.bascule.agent;

import org.jspecify.annotations.Nullable;

/**
 * One event from mechanism to agent: a reusable view of six content words. Every type uses the same layout, so a
 * message always fits one 64-byte line together with the transport's own two words.
 * <p>
 * Words: 0 {@link Identity}; 1 type 8 | flags 8 | cpu 16 | nice 8 | class 8 | argument 16 (high to low); 2 runtime ns;
 * 3 affinity mask or cookie; 4 deadline ns; 5 expected run time ns, of a timer the time ns ({@link System#nanoTime}) at
 * which it was due.
 * <p>
 * Thread rule: belongs to one thread.
 */
public final class Message {
    /** Content words of a message and of a transaction. */
    public static final int WORDS = 6;
    /** Flag: after this event the task is runnable and waits for a CPU. Every task message has it set or clear. */
    public static final int RUNNABLE = 1;
    /** Flag: made by the agent's own library from a status word, not sent by the host. */
    public static final int SYNTHETIC = 2;

    /** Flag: after this event the task is on its CPU. */
    public static final int ONCPU = 4;

    private final long[] words = new long[WORDS];

    /** The content words, for transports; not a copy. */
    public long[] words() {
        return words;
    }

    /** Starts a message: everything else is zero. */
    public Message set(MessageType type, int epoch, int sequence, int task) {
        java.util.Arrays.fill(words, 0);
        words[0] = Identity.of(epoch, sequence, task);
        words[1] = (long) type.code() << 56;
        return this;
    }

    /** Sets flag bits, see {@link #RUNNABLE}. */
    public Message flags(int flags) {
        words[1] |= (long) (flags & 0xff) << 48;
        return this;
    }

    /** Sets the CPU the event is about. */
    public Message cpu(int cpu) {
        words[1] |= (long) (cpu & 0xffff) << 32;
        return this;
    }

    /** Sets priority (nice, -20 to 19) and class (0 to 255). */
    public Message priority(int nice, int taskClass) {
        words[1] |= (nice & 0xffL) << 24 | (taskClass & 0xffL) << 16;
        return this;
    }

    /** Sets the type's small argument: the next task's low bits, a group, an error number. */
    public Message argument(int argument) {
        words[1] |= argument & 0xffffL;
        return this;
    }

    /** Sets the CPU time the task has used, in ns. */
    public Message runtimeNanos(long runtimeNanos) {
        words[2] = runtimeNanos;
        return this;
    }

    /** Sets the mask of the first 64 CPUs that the task may use (bit n: CPU n). */
    public Message affinity(long mask) {
        words[3] = mask;
        return this;
    }

    /** Sets the application's deadline hint, in ns of {@link System#nanoTime}; 0: none. */
    public Message deadlineNanos(long deadlineNanos) {
        words[4] = deadlineNanos;
        return this;
    }

    /** Sets the CPU time, ns, that the application expects the task to need until it blocks again; 0: not known. */
    public Message expectedNanos(long nanos) {
        words[5] = nanos;
        return this;
    }

    /** Sets the time at which a timer was due. */
    public Message dueNanos(long nanos) {
        words[5] = nanos;
        return this;
    }

    /** The type, or null if the number is unknown (a hostile or newer peer). */
    public @Nullable MessageType type() {
        return MessageType.ofCode((int) (words[1] >>> 56));
    }

    /** Task, sequence number and epoch. */
    public long identity() {
        return words[0];
    }

    /** The task id. */
    public int task() {
        return Identity.task(words[0]);
    }

    /** The task's sequence number after this event. */
    public int sequence() {
        return Identity.sequence(words[0]);
    }

    /** The epoch the message was sent in. */
    public int epoch() {
        return Identity.epoch(words[0]);
    }

    /** Flag bits. */
    public int flags() {
        return (int) (words[1] >>> 48) & 0xff;
    }

    /** The CPU. */
    public int cpu() {
        return (int) (words[1] >>> 32) & 0xffff;
    }

    /** The priority, -20 (first) to 19. */
    public int nice() {
        return (byte) (words[1] >>> 24);
    }

    /** The application's class hint, 0 to 255. */
    public int taskClass() {
        return (int) (words[1] >>> 16) & 0xff;
    }

    /** The small argument. */
    public int argument() {
        return (int) words[1] & 0xffff;
    }

    /** CPU time used, in ns. */
    public long runtimeNanos() {
        return words[2];
    }

    /** Mask of the first 64 CPUs that the task may use ({@link Enclave#affinity}: the others); or a timer's cookie. */
    public long affinity() {
        return words[3];
    }

    /** Deadline hint in ns; 0: none. */
    public long deadlineNanos() {
        return words[4];
    }

    /**
     * CPU time in ns that the application expects the task to need until it blocks again: a hint; 0: not known. At most
     * {@link StatusWord#MOST_EXPECTED_NANOS}, which also stands for more. Of tasks only.
     */
    public long expectedNanos() {
        return words[5];
    }

    /** When the timer was due, ns; of CPU_TIMER_EXPIRED only. */
    public long dueNanos() {
        return words[5];
    }

    /** Whether the task is runnable and waits for a CPU after this event. */
    public boolean leavesRunnable() {
        return (flags() & RUNNABLE) != 0;
    }

    @Override
    public String toString() {
        return type() + " task " + task() + " #" + sequence() + " epoch " + epoch() + " cpu " + cpu();
    }
}
