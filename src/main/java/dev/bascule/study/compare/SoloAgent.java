package dev.bascule.study.compare;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Watchdog;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.AgentSupervisor;
import org.jspecify.annotations.Nullable;

/** One agent of a {@link SoloHost}: its process, and the rules by which it is fenced and replaced. Thread rule: the host's. */
final class SoloAgent implements AutoCloseable {
    static final long READY_NANOS = 30_000_000_000L;
    private static final long SECOND = 1_000_000_000;
    /** Hard limits that a start may take, if that is more: where an agent may be silent for long, its JVM starts slowly. */
    private static final int LIMITS_PER_START = 3;

    private final MechanismEnd end;
    private final int number;
    final Watchdog watchdog;
    final AgentSupervisor process;
    private final Replacement replacement = new Replacement();
    private boolean ready;
    private long pid = -1;

    SoloAgent(MechanismEnd end, int number, Watchdog watchdog, AgentSupervisor process) {
        this.end = end;
        this.number = number;
        this.watchdog = watchdog;
        this.process = process;
    }

    /** How long a start may take, ns: for ever, if somebody else starts it. */
    private long startLimitNanos() {
        return Math.max(process.startLimitNanos(), LIMITS_PER_START * watchdog.hardNanos());
    }

    /** Whether the agent that was started first, at that time, is at work; fails if it never will be. */
    boolean hasStarted(long startedNanos) {
        if (end.isReady(number)) {
            ready = true;
            pid = processId();
            watchdog.restart(System.nanoTime());
            return true;
        }
        if (process.hasExited() || System.nanoTime() - startedNanos > startLimitNanos()) {
            throw new AgentException("start agent " + number + " for a comparison: "
                    + (process.hasExited()
                            ? process.exitReport()
                            : "not ready after " + startLimitNanos() / SECOND + " s"));
        }
        return false;
    }

    /** Process id of the agent that was started last; -1: none was, or it is not of this machine. */
    long processId() {
        return process instanceof AgentProcess here ? here.pid() : -1;
    }

    /** CPU time so far, s; 0 of one that is not of this machine. */
    double cpuSeconds() {
        return process instanceof AgentProcess here ? here.cpuSeconds() : 0;
    }

    /** As of the last look. */
    boolean isReady() {
        return ready;
    }

    /** Whether it is ready, and nobody is about to replace it. */
    boolean isAtWork() {
        return ready && !replacement.isUnderWay();
    }

    /** Whether it is at work and has decided often enough to be held to the hard limit. */
    boolean isWarm() {
        return isAtWork() && watchdog.isWarm();
    }

    /** Process id of the agent at work; -1: none is. */
    long pid() {
        return isWarm() ? pid : -1;
    }

    /**
     * Looks, about every millisecond; says why it has to be fenced, if it has.
     *
     * @param exitReports whether the supervisor's report of an exit counts
     */
    @Nullable
    String trouble(long now, boolean exitReports) {
        boolean was = ready;
        boolean isThere = end.isReady(number); // asked each time: an end may act on what it sees
        ready = isThere && !replacement.isUnderWay();
        if (ready && !was) {
            pid = processId();
        }
        if (replacement.isUnderWay()) {
            return null;
        }
        String trouble = end.trouble(number);
        if (trouble != null) {
            return trouble;
        }
        if (exitReports && process.hasExited()) {
            return "exit reported";
        }
        if (!ready) {
            return watchdog.isLate(startLimitNanos(), now) ? "never ready" : null;
        }
        return watchdog.isHung(end.heartbeat(number), now) ? "silent beyond the hard limit" : null;
    }

    /** It was fenced: another is started. */
    void replace(long now) {
        ready = false;
        watchdog.restart(now);
        replacement.begin(process);
    }

    /** Waits for a replacement under way; none is begun afterwards. */
    void settle() {
        replacement.close();
    }

    @Override
    public void close() {
        process.close();
    }
}
