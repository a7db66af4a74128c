package dev.bascule.study.compare;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.ffi.KernelText;
import dev.bascule.host.TimeHistogram;
import java.io.IOException;
import java.nio.file.Path;

/** Figures of one load that a {@link SoloHost} played. Written by its thread, read when it is done. */
final class SoloFigures implements DecisionListener {
    private static final Path THREAD_ACCOUNT = Path.of("/proc/thread-self/schedstat");

    final TimeHistogram window = TimeHistogram.single();
    /** From a CPU's becoming free to a decision for it, whoever made it; pauses of the host's thread are in it. */
    final TimeHistogram answer = TimeHistogram.single();
    /** Waits for the agent's decisions, as the watchdog counts: without pauses of the host's thread. */
    final TimeHistogram held = TimeHistogram.single();
    final TimeHistogram discovery = TimeHistogram.single();
    private final long[] outcomes = new long[Outcome.values().length];
    private final long[] changedNanos;
    long local;
    long localWithoutAgent;
    long fences;
    long reversed;
    long skipped;
    long looks;
    long ownPauses;
    long longestOwnPauseNanos;
    long changes;
    long busyNanos;
    long wallNanos;
    long hostCpuNanos;
    double agentCpuSeconds;

    /** @param changedNanos when each task changed against its agent's will; 0: it did not, or has run or been found out since */
    SoloFigures(long[] changedNanos) {
        this.changedNanos = changedNanos;
    }

    /** The host's thread starts to play. */
    void begin(double cpuSecondsOfAgents, TransportCounters counters) {
        reversed = counters.reversals;
        agentCpuSeconds = cpuSecondsOfAgents;
        hostCpuNanos = threadCpuNanos();
    }

    /** It has played for so long. */
    void finish(long nanos, double cpuSecondsOfAgents, TransportCounters counters) {
        long now = threadCpuNanos();
        hostCpuNanos = now < 0 || hostCpuNanos < 0 ? -1 : now - hostCpuNanos;
        wallNanos = nanos;
        reversed = counters.reversals - reversed;
        agentCpuSeconds = Math.max(0, cpuSecondsOfAgents - agentCpuSeconds);
    }

    /** CPU time of the calling kernel thread so far by the scheduler's account, ns; -1 where the kernel does not tell. */
    static long threadCpuNanos() {
        try {
            String text = KernelText.read(THREAD_ACCOUNT);
            return Long.parseLong(text.substring(0, text.indexOf(' ')));
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            return -1;
        }
    }

    @Override
    public void settled(Transaction decision, Outcome outcome, long enforcedNanos) {
        if (decision.isAssociation()) {
            return; // nothing runs for it
        }
        outcomes[outcome.ordinal()]++;
        if (outcome == Outcome.COMPLETE) {
            window.record(enforcedNanos - decision.observedNanos());
        } else if (decision.task() < changedNanos.length && changedNanos[decision.task()] != 0) {
            discovery.record(System.nanoTime() - changedNanos[decision.task()]);
            changedNanos[decision.task()] = 0; // discovered; what is refused later has another cause
        }
    }

    double seconds() {
        return wallNanos / 1e9;
    }

    long committed() {
        return outcomes[Outcome.COMPLETE.ordinal()];
    }

    long stale() {
        long sum = 0;
        for (Outcome outcome : Outcome.values()) {
            sum += outcome.isStale() ? outcomes[outcome.ordinal()] : 0;
        }
        return sum;
    }

    /** Decisions that the host took and refused for another reason: not permitted, invalid, of a fenced agent. */
    long refusedOtherwise() {
        long sum = 0;
        for (long count : outcomes) {
            sum += count;
        }
        return sum - committed() - stale();
    }

    /**
     * Decisions that were made and not run, by the numbers the agent gave them: refused when they were to be enforced, or
     * never taken by the host because they were withdrawn or promised for an offer that was reversed.
     */
    long wasted() {
        return stale() + refusedOtherwise() + skipped;
    }

    /** The host's thread stood still for so long: it had no core. */
    void paused(long nanos) {
        ownPauses++;
        longestOwnPauseNanos = Math.max(longestOwnPauseNanos, nanos);
    }

    double longestOwnPauseMicros() {
        return longestOwnPauseNanos / 1e3;
    }

    /** CPU time of the host's thread that was not spent in tasks, us for each committed decision. */
    double hostMicrosPerDecision() {
        return committed() == 0 || hostCpuNanos < 0
                ? Double.NaN
                : Math.max(0, hostCpuNanos - busyNanos) / 1e3 / committed();
    }

    /** Committed decisions for each second of the host thread's CPU time, polling included. */
    double decisionsPerHostSecond() {
        return hostCpuNanos <= 0 ? Double.NaN : committed() / (hostCpuNanos / 1e9);
    }

    double perThousand(long count) {
        return committed() == 0 ? Double.NaN : 1000.0 * count / committed();
    }

    double perSecond(long count) {
        return wallNanos == 0 ? Double.NaN : count / seconds();
    }
}
