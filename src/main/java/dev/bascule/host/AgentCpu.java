package dev.bascule.host;

import org.jspecify.annotations.Nullable;

/**
 * CPU time of processes that follow each other. The kernel forgets a process when it ends, so that one is looked at just
 * before, and what was seen counts from then on.
 * <p>
 * Thread rule: any.
 */
final class AgentCpu {
    private double endedSeconds;
    private double seenSeconds;

    /** Of all so far, s, to the kernel's clock tick of 10 ms; what was not looked at before it ended is missing. */
    synchronized double seconds(@Nullable Process current) {
        if (current != null) {
            seenSeconds = Math.max(seenSeconds, secondsOf(current));
        }
        return endedSeconds + seenSeconds;
    }

    /** This one will be followed by another, and is not passed to {@link #seconds} again. */
    synchronized void end(@Nullable Process current) {
        endedSeconds = seconds(current);
        seenSeconds = 0;
    }

    private static double secondsOf(Process process) {
        return process.info().totalCpuDuration().map(time -> time.toNanos() / 1e9).orElse(0.0);
    }
}
