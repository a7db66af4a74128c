package dev.bascule.host.sim;

import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import java.util.Arrays;

/**
 * The CPUs: each looks for a decision, runs the decided task until its work, its slice or a preemption ends it, tells
 * the agent, and looks again. What the live host's dispatcher does, step by step, with the time that each step takes.
 */
final class SimCpus {
    private static final byte WAIT = 0;
    private static final byte SLEEP = 1;
    private static final byte DECIDE = 2;
    private static final byte RUN = 3;
    private static final int NONE = Mechanism.NONE;

    private final SimEngine engine;
    private final SimOptions options;
    private final Mechanism mechanism;
    private final MechanismEnd end;
    private final SimRegion region;
    private final SimTime time;
    private final SimCosts costs;
    private final EventTree events;
    private final SimRuns runs;
    private final byte[] state;
    private final long[] waitSince;
    private final long[] lookedNanos;
    private final long[] visibleNanos;
    private final long[] sleepLookNanos;
    private final boolean[] asked;
    private final boolean onDemand;
    private int waiting;

    SimCpus(SimEngine engine, SimOptions options, boolean onDemand) {
        this.engine = engine;
        this.options = options;
        this.onDemand = onDemand;
        mechanism = engine.mechanism;
        end = engine.end;
        region = engine.region;
        time = engine.time;
        costs = engine.costs;
        events = engine.events;
        runs = new SimRuns(this.engine, this, options);
        int n = options.cpus();
        state = new byte[n];
        waitSince = new long[n];
        lookedNanos = new long[n];
        visibleNanos = new long[n];
        sleepLookNanos = new long[n];
        asked = new boolean[n];
        waiting = n;
        Arrays.fill(lookedNanos, -1);
    }

    int waiting() {
        return waiting;
    }

    boolean isWaiting(int cpu) {
        return state[cpu] == WAIT || state[cpu] == SLEEP;
    }

    long waitSince(int cpu) {
        return waitSince[cpu];
    }

    boolean isRunning(int cpu) {
        return state[cpu] == RUN;
    }

    // ---- events

    /** The CPU's own event: a look is due, or what it runs has come to a point. */
    void event(int cpu, long now) {
        switch (state[cpu]) {
            case RUN -> runs.event(cpu, now);
            case SLEEP -> wakeUp(cpu, 0);
            default -> look(cpu, now);
        }
    }

    /** An interrupt reaches the CPU. */
    void interrupt(int cpu, long arrivedNanos) {
        if (state[cpu] == SLEEP) {
            wakeUp(cpu, costs.kernel().interrupt());
        } else if (state[cpu] == RUN) {
            runs.interrupt(cpu, arrivedNanos);
        }
    }

    private void wakeUp(int cpu, long costNanos) {
        end.leaveSleep(cpu);
        time.charge(costNanos);
        toLook(cpu);
    }

    /** A decision for the CPU can be seen from then on. */
    void visible(int cpu, long nanos) {
        visibleNanos[cpu] = Math.max(visibleNanos[cpu], nanos);
        if (events.due(cpu) <= nanos) {
            return; // it looks no later
        }
        boolean slept = state[cpu] == SLEEP && nanos <= sleepLookNanos[cpu]; // its last look before sleeping saw it
        if (state[cpu] == WAIT || slept) {
            long at = slept ? sleepLookNanos[cpu] : nextLook(cpu, nanos);
            if (at < events.due(cpu)) {
                events.set(cpu, at);
            }
        }
    }

    /** An idle CPU looks at regular intervals; only the first look that can find something is simulated. */
    private long nextLook(int cpu, long visible) {
        long first = waitSince[cpu] + region.sampleNanos();
        long period = region.pollNanos();
        return visible <= first ? first : first + (visible - first + period - 1) / period * period;
    }

    // ---- decisions

    /** The CPU is free of its task and will look for the next. */
    void toLook(int cpu) {
        if (isWaiting(cpu)) {
            waiting--;
        }
        state[cpu] = DECIDE;
        events.set(cpu, region.lookAt(cpu, time.nanoTime()));
    }

    /** Makes a waiting CPU look now. */
    void lookNow(int cpu) {
        if (state[cpu] == WAIT) {
            events.set(cpu, Math.max(time.nanoTime(), waitSince[cpu]));
        }
    }

    private void look(int cpu, long now) {
        if (state[cpu] == WAIT) {
            region.bus.hostReads += region.sampleNanos() == 0 ? 0 : (now - waitSince[cpu]) / region.pollNanos();
        }
        lookedNanos[cpu] = region.look(cpu);
        int task = mechanism.decide(cpu);
        sampleLater(cpu);
        if (task != NONE) {
            engine.watch.answered(now);
            start(cpu, task, 0);
            return;
        }
        if (mechanism.runnableCount() > 0) {
            if (!engine.agents.isReady() && decideLocally(cpu)) {
                return;
            }
            if (onDemand && !asked[cpu]) {
                asked[cpu] = true;
                wantNext(cpu);
                mechanism.commit();
                toLook(cpu);
                return;
            }
        }
        mechanism.commit();
        wait(cpu);
    }

    /** The CPU has waited too long, and decides by itself. */
    void help(int cpu) {
        if (state[cpu] == SLEEP) {
            end.leaveSleep(cpu);
        }
        decideLocally(cpu);
    }

    /** The built-in policy helps; false if no task may use the CPU. */
    private boolean decideLocally(int cpu) {
        int task = mechanism.decideLocally(cpu);
        if (task == NONE) {
            return false;
        }
        time.charge(costs.kernel().fallback());
        start(cpu, task, 1);
        return true;
    }

    private void wait(int cpu) {
        if (!isWaiting(cpu)) {
            waiting++;
        }
        long now = time.nanoTime();
        waitSince[cpu] = now;
        state[cpu] = WAIT;
        engine.note(SimTrace.Kind.WAITS, cpu, 0xff_ffff, mechanism.runnableCount());
        long due = EventTree.NEVER;
        if (!options.polling() && !end.enterSleep(cpu)) {
            state[cpu] = SLEEP;
            sleepLookNanos[cpu] = time.nanoTime() - region.sampleNanos();
            due = time.nanoTime() + SimEngine.HOUSE_NANOS;
        } else if (!options.polling()) {
            end.leaveSleep(cpu);
        }
        if (state[cpu] == WAIT && visibleNanos[cpu] > lookedNanos[cpu]) {
            due = nextLook(cpu, visibleNanos[cpu]);
        }
        events.set(cpu, due);
        engine.watch.waits(now);
    }

    /** Says that a decision will be needed; a prefetch may begin. */
    void wantNext(int cpu) {
        mechanism.want(cpu);
        sampleLater(cpu);
    }

    private void sampleLater(int cpu) {
        long sample = region.sampleDue(cpu);
        if (sample != EventTree.NEVER) {
            engine.sampleAt(cpu, sample);
        }
    }

    private void start(int cpu, int task, int local) {
        if (isWaiting(cpu)) {
            waiting--;
        }
        state[cpu] = RUN;
        asked[cpu] = false;
        runs.start(cpu, task, local);
    }

    /** Work has come and no CPU waits: a task that runs past its slice gives way. */
    void giveWay() {
        runs.giveWay();
    }
}
