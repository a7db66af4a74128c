package dev.bascule.lauberhorn;

/**
 * The NIC's demand for cores as the kernel reads it, in a word: requests that are queued, threads that wait for a core,
 * and cores that idle. It goes with TRYAGAIN in word 2, with DISPATCH and RETIRE in word 3.
 *
 * <pre>
 * queued 32 | waiting 16 | idle 16
 * </pre>
 *
 * A queue alone does not ask for a core: whether one more would be used is the policy's to say
 * ({@link CoreScheduler#waiting}).
 */
public final class CoreDemand {
    private static final int MOST = 0xffff;

    private CoreDemand() {}

    /** A word; waiting threads and idle cores count up to 65,535. */
    public static long of(int queued, int waiting, int idle) {
        return (long) queued << 32 | (long) Math.min(waiting, MOST) << 16 | Math.min(idle, MOST);
    }

    /** Requests that are queued, of all processes. */
    public static int queued(long word) {
        return (int) (word >>> 32);
    }

    /** Threads that would run now if there were another core. */
    public static int waiting(long word) {
        return (int) (word >>> 16) & MOST;
    }

    /** Cores on which the kernel waits, or a thread for its process's next request. */
    public static int idle(long word) {
        return (int) word & MOST;
    }
}
