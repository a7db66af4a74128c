package dev.bascule.study.compare;

import java.util.Arrays;

/**
 * Ledger of what a load asked for and what ran, kept by the load and not by the host: a task asks each time it wants to
 * run, and each start on a CPU answers one request. It does not read the host's tables, so a task that agent, transport
 * or host forgets remains here as a request that is never answered. Shown over on-host, Wave, swap0 and swap1 with
 * hosts broken on purpose: one that loses a task when it yields, one that queues it without a word to agent or status
 * table (1 lost each), and one that puts a running task on a second CPU (1 unasked).
 * <p>
 * Thread rule: the thread of the {@link SoloHost}.
 */
final class SoloLedger {
    /** Runs of other tasks after which one that still waits is lost: with any fair policy it runs after a few. */
    static final int PATIENCE = 2_000;
    private static final long NOT_ASKING = -1;

    private final long[] askedAt;
    private final boolean[] known;
    private long runs;
    private long lost;
    private long unasked;

    SoloLedger(int tasks) {
        askedAt = new long[tasks];
        Arrays.fill(askedAt, NOT_ASKING);
        known = new boolean[tasks];
    }

    /** The task wants to run from now on. */
    void asks(int task) {
        askedAt[task] = runs;
        known[task] = false;
    }

    /** The task was killed while it waited. */
    void leaves(int task) {
        askedAt[task] = NOT_ASKING;
    }

    /** The host put the task on a CPU. */
    void runs(int task) {
        unasked += askedAt[task] == NOT_ASKING ? 1 : 0; // it runs already, or is gone
        askedAt[task] = NOT_ASKING;
        runs++;
    }

    boolean isAsking(int task) {
        return askedAt[task] != NOT_ASKING;
    }

    /** All runs so far. */
    long runs() {
        return runs;
    }

    /** Runs so far of tasks that ran already or were gone; 0 unless something is broken. */
    long unasked() {
        return unasked;
    }

    /** Whether every task that waits asked after so many runs: those that asked before have run. */
    boolean isServedSince(long mark) {
        for (int task = 0; task < askedAt.length; task++) {
            if (askedAt[task] != NOT_ASKING && askedAt[task] < mark && !known[task]) {
                return false;
            }
        }
        return true;
    }

    /** Counts the tasks that asked before so many runs and wait still as lost, each request once. */
    void settle(long mark) {
        for (int task = 0; task < askedAt.length; task++) {
            if (askedAt[task] != NOT_ASKING && askedAt[task] < mark && !known[task]) {
                known[task] = true;
                lost++;
            }
        }
    }

    /** Requests so far that were never answered. */
    long lost() {
        return lost;
    }
}
