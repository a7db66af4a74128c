package dev.bascule.lauberhorn;

import java.util.Arrays;
import java.util.function.IntToLongFunction;

/**
 * The NIC's own policy, for when no agent decides. A process with requests and no core gets one that is free, else one
 * that idles in another process, else, after a quantum, the one that another thread has had longest. A process with a
 * core gets another one, up to its threads, if that one is free or idles and more requests wait than cores of the process
 * are on their way to them; and one by pre-emption if its queue is half full, as in the published prototype. Threads that
 * were pre-empted get a core back. The oldest wait comes first.
 * <p>
 * Thread rule: the NIC's thread. Allocation-free after construction.
 */
public final class QueueScheduler implements CoreScheduler {
    private static final int NONE = NicDispatch.NONE;
    private static final long NEVER = Long.MAX_VALUE;

    private final NicDispatch dispatch;
    private final IntToLongFunction arrivedNanos;
    private final long quantumNanos;
    private final int[] onCore;
    private final int[] coming;
    private final int[] thread;
    private final long[] sinceNanos;
    private final long[] offSinceNanos;
    private long changes = -1;
    private long nextLookNanos;
    private int idle;
    private boolean waits;

    /**
     * A policy for all cores.
     *
     * @param arrivedNanos when a request arrived
     * @param quantumNanos how long others wait before a thread is pre-empted; 0: for ever
     */
    public QueueScheduler(NicDispatch dispatch, IntToLongFunction arrivedNanos, long quantumNanos) {
        this.dispatch = dispatch;
        this.arrivedNanos = arrivedNanos;
        this.quantumNanos = quantumNanos;
        onCore = new int[dispatch.processes() + 1];
        coming = new int[onCore.length];
        thread = new int[dispatch.cores()];
        Arrays.fill(thread, NONE);
        sinceNanos = new long[dispatch.cores()];
        offSinceNanos = new long[dispatch.threads()];
        Arrays.fill(offSinceNanos, NEVER);
    }

    @Override
    public int turn(long nowNanos) {
        boolean isDue = quantumNanos > 0 && nowNanos - nextLookNanos >= 0;
        if (changes == dispatch.changes() && !isDue) {
            return 0;
        }
        changes = dispatch.changes();
        nextLookNanos = nowNanos + quantumNanos;
        observe(nowNanos);
        int decisions = 0;
        waits = false;
        for (int i = 0; i < dispatch.cores() && !waits; i++) {
            int next = pick();
            if (next == NONE) {
                break;
            }
            waits = !place(next, nowNanos);
            decisions += waits ? 0 : 1;
        }
        return decisions;
    }

    /** 1 if a thread waits, whichever comes next; 0 if none does. */
    @Override
    public int waiting() {
        return waits ? 1 : 0;
    }

    private void observe(long nowNanos) {
        Arrays.fill(onCore, 0);
        Arrays.fill(coming, 0);
        idle = 0;
        for (int core = 0; core < thread.length; core++) {
            int now = dispatch.running(core);
            if (now != thread[core]) {
                thread[core] = now;
                sinceNanos[core] = nowNanos;
            }
            boolean idles = dispatch.isFree(core) || dispatch.isIdle(core);
            idle += idles ? 1 : 0;
            count(now, !idles && dispatch.next(core) == NONE && now >= 0 && dispatch.serving(now) == NONE);
            count(dispatch.next(core), true);
        }
        for (int t = 0; t < offSinceNanos.length; t++) {
            boolean isOff = dispatch.serving(t) != NONE && dispatch.coreOf(t) == NONE && dispatch.boundTo(t) == NONE;
            offSinceNanos[t] = isOff ? Math.min(offSinceNanos[t], nowNanos) : NEVER;
        }
    }

    private void count(int of, boolean comes) {
        if (of >= 0) {
            onCore[dispatch.processOf(of)]++;
            coming[dispatch.processOf(of)] += comes ? 1 : 0;
        }
    }

    /** The thread that has waited longest for a core: one that was pre-empted, or one of a process with requests. */
    private int pick() {
        int best = NONE;
        long bestSince = NEVER;
        for (int t = 0; t < offSinceNanos.length; t++) {
            if (offSinceNanos[t] < bestSince) {
                best = t;
                bestSince = offSinceNanos[t];
            }
        }
        for (int process = 1; process < onCore.length; process++) {
            if (wantsMore(process)) {
                long since = arrivedNanos.applyAsLong(dispatch.oldest(process));
                int free = since < bestSince ? freeThread(process) : NONE;
                if (free != NONE) {
                    best = free;
                    bestSince = since;
                }
            }
        }
        return best;
    }

    private boolean wantsMore(int process) {
        int queued = dispatch.queued(process);
        boolean isHalfFull = 2 * queued >= dispatch.queueEntries(process);
        boolean isOfUse = idle > 0 && queued > coming[process];
        return queued > 0 && (onCore[process] == 0 || isHalfFull || isOfUse);
    }

    private int freeThread(int process) {
        for (int t = 0; t < offSinceNanos.length; t++) {
            if (dispatch.processOf(t) == process && dispatch.coreOf(t) == NONE && dispatch.boundTo(t) == NONE
                    && dispatch.serving(t) == NONE) {
                return t;
            }
        }
        return NONE;
    }

    private boolean place(int next, long nowNanos) {
        int core = find(nowNanos);
        boolean idles = core != NONE && (dispatch.isFree(core) || dispatch.isIdle(core));
        if (core == NONE || !dispatch.give(core, next, true)) {
            return false;
        }
        idle -= idles ? 1 : 0;
        onCore[dispatch.processOf(next)]++;
        coming[dispatch.processOf(next)]++;
        offSinceNanos[next] = NEVER;
        return true;
    }

    private int find(long nowNanos) {
        int idle = NONE;
        int longest = NONE;
        for (int core = 0; core < thread.length; core++) {
            if (dispatch.isFree(core)) {
                return core;
            }
            if (dispatch.isIdle(core)) {
                idle = core;
            } else if (isOver(core, nowNanos) && (longest == NONE || sinceNanos[core] < sinceNanos[longest])) {
                longest = core;
            }
        }
        return idle != NONE ? idle : longest;
    }

    private boolean isOver(int core, long nowNanos) {
        return quantumNanos > 0 && dispatch.running(core) != NONE && dispatch.next(core) == NONE
                && nowNanos - sinceNanos[core] >= quantumNanos;
    }
}
