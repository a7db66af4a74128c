package dev.bascule.compare;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Watchdog;
import dev.bascule.ffi.Affinity;
import dev.bascule.host.AgentProcess;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * One thread that plays all CPUs of a host in real time, over a real transport and with a real agent: a task's work is a
 * deadline, so a CPU costs nothing while it is busy, and many CPUs fit one core. Waiting, the soft window, the hard limit,
 * fence and restart follow the rules of the live host.
 * <p>
 * Thread rule: one thread, which should have a core to itself.
 */
final class SoloHost implements AutoCloseable {
    private static final int NONE = Mechanism.NONE;
    private static final long TICK_NANOS = 1_000_000;
    private static final long READY_NANOS = 30_000_000_000L;
    /** A round longer than this was no round: the host itself had no core. Not held against the agent. */
    private static final long OWN_PAUSE_NANOS = 100_000;

    private final MechanismEnd end;
    private final Mechanism mechanism;
    private final Watchdog watchdog;
    private final AgentProcess agent;
    private final Replacement replacement = new Replacement();
    private final SoloTasks tasks;
    private final int core;
    private final long[] changedNanos;
    private final long[] startedNanos;
    private final long[] endsNanos;
    private final long[] freeNanos;
    private final long[] unansweredNanos;
    private final boolean[] asked;
    private SoloFigures figures;
    private final FaultTrace trace = new FaultTrace();
    private SoloLoad load = SoloLoad.IDLE;
    private boolean exitReports = true;
    private boolean ready;
    private long agentPid = -1;
    private long nextTickNanos;

    /** @param core of this thread while it plays; -1: any */
    SoloHost(MechanismEnd end, Watchdog watchdog, AgentProcess agent, long seed, int core) {
        this.core = core;
        this.end = end;
        this.watchdog = watchdog;
        this.agent = agent;
        int cpus = end.shape().cpus();
        changedNanos = new long[end.shape().tasks()];
        startedNanos = new long[cpus];
        endsNanos = new long[cpus];
        freeNanos = new long[cpus];
        unansweredNanos = new long[cpus];
        asked = new boolean[cpus];
        figures = new SoloFigures(changedNanos);
        mechanism = new Mechanism(end, System::nanoTime,
                (decision, outcome, nanos) -> figures.settled(decision, outcome, nanos));
        tasks = new SoloTasks(mechanism, cpus, changedNanos, seed);
    }

    /** Starts the agent and waits until it decides. */
    void start() throws InterruptedException {
        mechanism.commit();
        agent.start();
        long deadline = System.nanoTime() + READY_NANOS;
        while (!end.isReady(0)) {
            mechanism.tickTransport();
            if (agent.hasExited() || System.nanoTime() > deadline) {
                throw new AgentException("start agent for a comparison: "
                        + (agent.hasExited() ? agent.exitReport() : "not ready after 30 s"));
            }
            Thread.sleep(1);
        }
        ready = true;
        agentPid = agent.pid();
        watchdog.restart(System.nanoTime());
    }

    /** On: the supervisor's report of an exit counts; off: only silence tells. */
    void useExitReports(boolean on) {
        exitReports = on;
    }

    FaultTrace trace() {
        return trace;
    }

    /** What has happened so far under the present load. */
    SoloFigures figures() {
        return figures;
    }

    AgentProcess agent() {
        return agent;
    }

    /** Tasks that got lost; 0 unless something is broken. */
    int missingTasks() {
        return tasks.missing();
    }

    boolean isAgentReady() {
        return ready && !replacement.isUnderWay();
    }

    /** Whether the agent is ready and has decided often enough to be held to the hard limit. */
    boolean isAgentWarm() {
        return isAgentReady() && watchdog.isWarm();
    }

    /** Plays a load for so long and returns what happened. */
    SoloFigures run(SoloLoad what, long nanos) throws InterruptedException {
        return run(what, nanos, () -> false);
    }

    /** Plays a load for so long, or until it is enough. */
    SoloFigures run(SoloLoad what, long nanos, BooleanSupplier enough) throws InterruptedException {
        if (core < 0) {
            return play(what, nanos, enough);
        }
        try (Affinity.Pinned _ = Affinity.pin(core)) { // here only, so that no other thread inherits it
            return play(what, nanos, enough);
        }
    }

    private SoloFigures play(SoloLoad what, long nanos, BooleanSupplier enough) throws InterruptedException {
        load = what;
        tasks.populate(what.tasks(), System.nanoTime());
        figures = new SoloFigures(changedNanos);
        figures.begin(agent, end.counters());
        long from = System.nanoTime();
        Arrays.fill(freeNanos, from);
        long last = from;
        long now = from;
        while (now - from < nanos && !enough.getAsBoolean()) {
            if (now - last > OWN_PAUSE_NANOS) {
                forgive(now - last);
            }
            last = now;
            round(now);
            if (!load.polling() && mechanism.current(0) == NONE) {
                end.await(0, nap(now));
                last = System.nanoTime();
            }
            now = System.nanoTime();
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        figures.finish(now - from, agent, end.counters());
        return figures;
    }

    private void round(long now) {
        figures.looks++;
        for (int cpu = 0; cpu < endsNanos.length; cpu++) {
            step(cpu, now);
        }
        if (load.changesPerSecond() > 0) {
            figures.changes += tasks.disturb(now, load.changesPerSecond());
        }
        housekeep(now);
        trace.poll(now, isAgentWarm() ? agentPid : -1);
    }

    /** Sleep no longer than until the next thing that time alone brings. */
    private long nap(long now) {
        long untilSoft = freeNanos[0] + watchdog.softNanos() - now;
        boolean waiting = mechanism.hasWorkFor(0);
        return Math.max(1_000, Math.min(TICK_NANOS, waiting ? untilSoft : TICK_NANOS));
    }

    private void forgive(long pause) {
        figures.ownPauses++;
        for (int cpu = 0; cpu < freeNanos.length; cpu++) {
            freeNanos[cpu] += pause;
        }
    }

    private void step(int cpu, long now) {
        int task = mechanism.current(cpu);
        if (task != NONE) {
            if (now < endsNanos[cpu]) {
                return;
            }
            mechanism.want(cpu);
            long ran = now - startedNanos[cpu];
            figures.busyNanos += Math.min(ran, load.serviceNanos()); // the rest is the host's, or somebody else's
            mechanism.yielded(task, ran);
            freeNanos[cpu] = now;
        }
        task = mechanism.decide(cpu);
        if (task != NONE) {
            decided(cpu);
        } else {
            task = decideForAgent(cpu, now);
        }
        mechanism.commit();
        if (task != NONE) {
            startedNanos[cpu] = System.nanoTime();
            endsNanos[cpu] = startedNanos[cpu] + load.serviceNanos();
        }
    }

    private void decided(int cpu) {
        long now = System.nanoTime();
        long waited = Math.max(0, now - freeNanos[cpu]);
        figures.answer.record(waited);
        figures.waitedNanos += waited;
        unansweredNanos[cpu] = 0;
        asked[cpu] = false;
        watchdog.decided();
        trace.decided(now);
    }

    private int decideForAgent(int cpu, long now) {
        if (!mechanism.hasWorkFor(cpu)) {
            freeNanos[cpu] = now;
            unansweredNanos[cpu] = 0;
            return NONE;
        }
        if (!ready) {
            figures.localWithoutAgent++;
            trace.local(now);
            freeNanos[cpu] = now;
            return mechanism.decideLocally(cpu);
        }
        if (!asked[cpu]) {
            asked[cpu] = true;
            mechanism.want(cpu);
        }
        long waited = now - freeNanos[cpu];
        Watchdog.Verdict verdict = watchdog.judge(waited, unansweredNanos[cpu] + waited);
        if (verdict == Watchdog.Verdict.WAIT) {
            return NONE;
        }
        if (verdict == Watchdog.Verdict.FENCE) {
            fence("no decision within the hard limit", now);
        }
        figures.local++;
        trace.local(now);
        figures.waitedNanos += waited;
        unansweredNanos[cpu] += waited;
        freeNanos[cpu] = now;
        asked[cpu] = false;
        return mechanism.decideLocally(cpu);
    }

    private void housekeep(long now) {
        if (now < nextTickNanos) {
            return;
        }
        nextTickNanos = now + TICK_NANOS;
        mechanism.tickTransport();
        boolean was = ready;
        ready = !replacement.isUnderWay() && end.isReady(0);
        if (ready && !was) {
            agentPid = agent.pid();
        }
        if (replacement.isUnderWay()) {
            return;
        }
        String trouble = end.trouble();
        if (trouble != null) {
            fence(trouble, now);
        } else if (exitReports && agent.hasExited()) {
            fence("exit reported", now);
        } else if (!ready && watchdog.isLate(READY_NANOS, now)) {
            fence("never ready", now);
        } else if (ready && watchdog.isHung(end.heartbeat(0), now)) {
            fence("silent beyond the hard limit", now);
        }
    }

    private void fence(String why, long now) {
        figures.fences++;
        mechanism.fence();
        ready = false;
        watchdog.restart(now);
        Arrays.fill(unansweredNanos, 0);
        trace.fenced(System.nanoTime(), why);
        replacement.begin(agent);
    }

    @Override
    public void close() {
        trace.resume();
        replacement.close();
        end.close();
        agent.close();
    }
}
