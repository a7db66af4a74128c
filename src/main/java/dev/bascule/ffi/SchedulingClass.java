package dev.bascule.ffi;

import java.lang.foreign.Arena;

/** Scheduling class of the kernel that a thread is in. Control path; any thread. */
public final class SchedulingClass {
    /** SCHED_OTHER: the kernel's own fair class. */
    public static final int OTHER = 0;
    /** SCHED_FIFO: real time. */
    public static final int FIFO = 1;
    /** SCHED_EXT: the class that a BPF scheduler rules; without one its threads are treated as those of OTHER. */
    public static final int EXT = 7;

    private SchedulingClass() {}

    /**
     * Moves a thread into a class; its children will be in it, too.
     *
     * @param thread kernel id of a thread, 0 for the calling one
     * @param priority 0, for FIFO 1 to 99
     */
    public static void set(int thread, int policy, int priority) {
        try (Arena arena = Arena.ofConfined()) {
            int result = (int) NativeCall.words(Fn.SCHED_SETSCHEDULER, NativeCall.word(thread),
                    NativeCall.word(policy), arena.allocateFrom(java.lang.foreign.ValueLayout.JAVA_INT, priority));
            if (result < 0) {
                throw new NativeException("sched_setscheduler", "thread " + thread, NativeCall.errno(), remedy());
            }
        }
    }

    private static String remedy() {
        return switch (NativeCall.errno()) {
            case Errno.EINVAL -> "This kernel has no such class: bascule doctor";
            case Errno.EPERM, Errno.EACCES -> "The thread belongs to another user, or the scheduler at work refuses it";
            default -> "";
        };
    }

    /** The class of a thread, 0 for the calling one. */
    public static int of(int thread) {
        int policy = (int) NativeCall.words(Fn.SCHED_GETSCHEDULER, NativeCall.word(thread));
        if (policy < 0) {
            throw NativeException.last("sched_getscheduler", "thread " + thread);
        }
        return policy & 0x3fff_ffff; // without SCHED_RESET_ON_FORK
    }
}
