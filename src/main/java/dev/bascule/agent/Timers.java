package dev.bascule.agent;

/** An agent's timers: few, so an unsorted array. They run on the agent's own clock, wherever it is. */
final class Timers {
    private static final int MAX = 64;

    private final long[] atNanos = new long[MAX];
    private final long[] cookie = new long[MAX];
    private final int[] cpu = new int[MAX];
    private int armed;
    private long earliest = Long.MAX_VALUE;

    boolean arm(int onCpu, long at, long withCookie) {
        if (armed == MAX) {
            return false;
        }
        atNanos[armed] = at;
        cookie[armed] = withCookie;
        cpu[armed] = onCpu;
        armed++;
        earliest = Math.min(earliest, at);
        return true;
    }

    boolean isArmed() {
        return armed != 0;
    }

    /** When the earliest is due; {@link Long#MAX_VALUE} if none is armed. */
    long earliestNanos() {
        return earliest;
    }

    boolean isDue(long now) {
        return now >= earliest;
    }

    /** Takes the earliest timer and writes its message. */
    Message expire(Message into, int epoch) {
        int due = 0;
        for (int i = 1; i < armed; i++) {
            due = atNanos[i] < atNanos[due] ? i : due;
        }
        into.set(MessageType.CPU_TIMER_EXPIRED, epoch, 0, 0).cpu(cpu[due]).affinity(cookie[due])
                .dueNanos(atNanos[due]).flags(Message.SYNTHETIC);
        armed--;
        atNanos[due] = atNanos[armed];
        cookie[due] = cookie[armed];
        cpu[due] = cpu[armed];
        earliest = Long.MAX_VALUE;
        for (int i = 0; i < armed; i++) {
            earliest = Math.min(earliest, atNanos[i]);
        }
        return into;
    }
}
