package dev.bascule.study.compare;

import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Watchdog;
import dev.bascule.ffi.Affinity;
import dev.bascule.host.AgentSupervisor;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One thread that plays all CPUs of a host in real time, over a real transport and with real agents: a task's work is a
 * deadline, so a CPU costs nothing while it is busy, and many CPUs fit one core. Waiting, the soft window, the hard limit,
 * fence and restart follow the rules of the live host.
 * <p>
 * Thread rule: one thread, which should have a core to itself.
 */
final class SoloHost implements AutoCloseable {
    private static final int NONE = Mechanism.NONE;
    private static final long TICK_NANOS = 1_000_000;
    /** A round longer than this was no round: the host itself had no core. Counted, and not held against the agent. */
    private static final long OWN_PAUSE_NANOS = 100_000;
    static final String OWN_PAUSES = "pauses of the host's own thread over " + OWN_PAUSE_NANOS / 1_000 + " us";
    static final String LONGEST_OWN_PAUSE = "the longest of them";
    static final String LEDGER_NOTE = "The load counts each time that a task asks to run and each run, and does not look at"
            + " the host's tables. After each fault, and each setting of E3, it goes on until all that had asked have run; a"
            + " task that has not after " + SoloLedger.PATIENCE + " runs of others is lost.";

    private final MechanismEnd end;
    private final Mechanism mechanism;
    private final SoloAgent[] agents;
    private final int[] agentOf;
    private final SoloLedger ledger;
    private final SoloTasks tasks;
    private final CpuWaits waits;
    private final DecisionNumbers numbers;
    private final int core;
    private final long[] changedNanos;
    private final long[] startedNanos;
    private final long[] endsNanos;
    private final long[] unansweredNanos;
    private final boolean[] asked;
    private SoloFigures figures;
    private final FaultTrace trace = new FaultTrace();
    private SoloLoad load = SoloLoad.IDLE;
    private boolean exitReports = true;
    private long nextTickNanos;

    /**
     * @param watchdogs makes one for each agent
     * @param processes one for each agent, by its number
     * @param core of this thread while it plays; -1: any
     */
    SoloHost(MechanismEnd end, Supplier<Watchdog> watchdogs, List<? extends AgentSupervisor> processes, long seed,
            int core) {
        this.core = core;
        this.end = end;
        agents = new SoloAgent[end.shape().agents()];
        Arrays.setAll(agents, agent -> new SoloAgent(end, agent, watchdogs.get(), processes.get(agent)));
        agentOf = new int[end.shape().cpus()];
        Arrays.setAll(agentOf, end.shape()::agentOf);
        int cpus = end.shape().cpus();
        changedNanos = new long[end.shape().tasks()];
        startedNanos = new long[cpus];
        endsNanos = new long[cpus];
        waits = new CpuWaits(cpus);
        numbers = new DecisionNumbers(cpus);
        unansweredNanos = new long[cpus];
        asked = new boolean[cpus];
        figures = new SoloFigures(changedNanos);
        mechanism = new Mechanism(end, System::nanoTime, (decision, outcome, nanos) -> {
            figures.settled(decision, outcome, nanos);
            figures.skipped += numbers.skippedBefore(decision);
        });
        ledger = new SoloLedger(end.shape().tasks());
        tasks = new SoloTasks(mechanism, ledger, cpus, changedNanos, seed);
    }

    /** Starts the agents and waits until all decide. */
    void start() throws InterruptedException {
        mechanism.commit();
        for (SoloAgent agent : agents) {
            agent.process.start();
        }
        long started = System.nanoTime();
        for (SoloAgent agent : agents) {
            while (!agent.hasStarted(started)) {
                mechanism.tickTransport();
                Thread.sleep(1);
            }
        }
    }

    /** On: the supervisor's report of an exit counts; off: only silence tells. */
    void useExitReports(boolean on) {
        exitReports = on;
    }

    FaultTrace trace() {
        return trace;
    }

    /** Figures of the present load so far. */
    SoloFigures figures() {
        return figures;
    }

    /** Process id of the first agent, which is the one that faults are inflicted on. */
    long agentProcessId() {
        return agents[0].processId();
    }

    private double agentCpuSeconds() {
        return Stream.of(agents).mapToDouble(SoloAgent::cpuSeconds).sum();
    }

    /**
     * Plays a load on until every task that waits now has run. One that has not when the others have run
     * {@value SoloLedger#PATIENCE} times is lost.
     */
    void settleAccounts(SoloLoad what) throws InterruptedException {
        long mark = ledger.runs() + 1;
        run(what.calm(), SoloAgent.READY_NANOS,
                () -> ledger.isServedSince(mark) || ledger.runs() >= mark + SoloLedger.PATIENCE);
        ledger.settle(mark);
    }

    /** Ledger of what the load asked for and what ran. */
    SoloLedger ledger() {
        return ledger;
    }

    /** Whether all agents are ready and have decided often enough to be held to the hard limit. */
    boolean isAgentWarm() {
        return Stream.of(agents).allMatch(SoloAgent::isWarm);
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
        figures.begin(agentCpuSeconds(), end.counters());
        long from = System.nanoTime();
        waits.freeAll(from);
        long last = from;
        long now = from;
        while (now - from < nanos && !enough.getAsBoolean()) {
            if (now - last > OWN_PAUSE_NANOS) {
                figures.paused(now - last);
                waits.paused(now - last);
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
        figures.finish(now - from, agentCpuSeconds(), end.counters());
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
        trace.poll(now, agents[0].pid());
    }

    /** Sleep no longer than until the next thing that time alone brings. */
    private long nap(long now) {
        long untilSoft = agents[0].watchdog.softNanos() - waits.held(0, now);
        boolean waiting = mechanism.hasWorkFor(0);
        return Math.max(1_000, Math.min(TICK_NANOS, waiting ? untilSoft : TICK_NANOS));
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
            ledger.asks(task);
            waits.free(cpu, now);
        }
        task = mechanism.decide(cpu);
        if (task != NONE) {
            decided(cpu);
        } else {
            task = decideForAgent(cpu, now);
        }
        mechanism.commit();
        if (task != NONE) {
            ledger.runs(task);
            changedNanos[task] = 0; // what is decided about it from now on is not late for that change
            startedNanos[cpu] = System.nanoTime();
            endsNanos[cpu] = startedNanos[cpu] + load.serviceNanos();
        }
    }

    private void decided(int cpu) {
        long now = System.nanoTime();
        figures.answer.record(waits.waited(cpu, now));
        figures.held.record(waits.held(cpu, now));
        unansweredNanos[cpu] = 0;
        asked[cpu] = false;
        agents[agentOf[cpu]].watchdog.decided();
        trace.decided(now);
    }

    private int decideForAgent(int cpu, long now) {
        if (!mechanism.hasWorkFor(cpu)) {
            waits.free(cpu, now);
            unansweredNanos[cpu] = 0;
            return NONE;
        }
        SoloAgent agent = agents[agentOf[cpu]];
        if (!agent.isReady()) {
            figures.localWithoutAgent++;
            trace.local(now);
            figures.answer.record(waits.waited(cpu, now));
            waits.free(cpu, now);
            return mechanism.decideLocally(cpu);
        }
        if (!asked[cpu]) {
            asked[cpu] = true;
            mechanism.want(cpu);
        }
        long waited = waits.held(cpu, now);
        Watchdog.Verdict verdict = agent.watchdog.judge(waited, unansweredNanos[cpu] + waited);
        if (verdict == Watchdog.Verdict.WAIT) {
            return NONE;
        }
        if (verdict == Watchdog.Verdict.FENCE) {
            fence(agentOf[cpu], "no decision within the hard limit", now);
        }
        figures.local++;
        trace.local(now);
        figures.answer.record(waits.waited(cpu, now));
        unansweredNanos[cpu] += waited;
        waits.free(cpu, now);
        asked[cpu] = false;
        return mechanism.decideLocally(cpu);
    }

    private void housekeep(long now) {
        if (now < nextTickNanos) {
            return;
        }
        nextTickNanos = now + TICK_NANOS;
        mechanism.tickTransport();
        for (int agent = 0; agent < agents.length; agent++) {
            String trouble = agents[agent].trouble(now, exitReports);
            if (trouble != null) {
                fence(agent, trouble, now);
            }
        }
    }

    private void fence(int agent, String why, long now) {
        figures.fences++;
        mechanism.fence(agent);
        for (int cpu = 0; cpu < agentOf.length; cpu++) {
            unansweredNanos[cpu] = agentOf[cpu] == agent ? 0 : unansweredNanos[cpu];
        }
        trace.fenced(System.nanoTime(), why);
        agents[agent].replace(now);
    }

    @Override
    public void close() {
        trace.resume();
        trace.close();
        for (SoloAgent agent : agents) {
            agent.settle();
        }
        end.close();
        for (SoloAgent agent : agents) {
            agent.close();
        }
    }
}
