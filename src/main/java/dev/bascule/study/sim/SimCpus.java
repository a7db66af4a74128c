package dev.bascule.study.sim;

import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.StarvationWatch;
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

    private final SimContext context;
    private final SimTasks tasks;
    private final SimAgents agents;
    private final SimWatch watch;
    private final boolean onDemand;
    private final StarvationWatch starvation;
    private final boolean polling;
    private final boolean dispatched;
    private final Mechanism mechanism;
    private final MechanismEnd end;
    private final SimRegion region;
    private final SimTime time;
    private final SimCosts costs;
    private final SimEvents events;
    private final SimStats stats;
    private final TraceWriter trace;
    private final byte[] state;
    private int waiting;

    private final long[] waitSince;
    private final long[] lookedNanos;
    private final long[] visibleNanos;
    private final long[] sleepLookNanos;
    private final long[] agentLookedNanos;
    private final boolean[] rang;
    private final boolean[] asked;

    private final RunningTasks running;
    private final boolean[] overrun;
    private final boolean[] interrupted;
    private int overrunning;
    private final SimCrossings crossings;
    private final SpinningWorkers spinning;

    SimCpus(SimContext context, SimTasks tasks, SimAgents agents, SimWatch watch, boolean onDemand,
            StarvationWatch starvation) {
        this.starvation = starvation;
        this.context = context;
        this.tasks = tasks;
        this.agents = agents;
        this.watch = watch;
        this.onDemand = onDemand;
        SimOptions options = context.options();
        polling = options.polling();
        dispatched = options.dispatcher();
        mechanism = context.mechanism();
        end = context.end();
        region = context.region();
        time = context.time();
        costs = context.costs();
        events = context.events();
        stats = context.stats();
        trace = context.trace();
        int n = options.cpus();
        state = new byte[n];
        waiting = n;
        waitSince = new long[n];
        lookedNanos = new long[n];
        Arrays.fill(lookedNanos, -1);
        visibleNanos = new long[n];
        sleepLookNanos = new long[n];
        agentLookedNanos = new long[n];
        Arrays.fill(agentLookedNanos, SimSignals.NOT);
        rang = new boolean[n];
        asked = new boolean[n];
        running = new RunningTasks(context, tasks);
        overrun = new boolean[n];
        interrupted = new boolean[n];
        spinning = tasks.spinning();
        crossings = new SimCrossings(context);
    }

    /** CPUs without a task. */
    int waiting() {
        return waiting;
    }

    /**
     * Whether the CPU idles beside spinning workers and none spins on it: Linux sends no interrupt to a CPU whose idle
     * loop watches the flag that asks it to reschedule.
     */
    boolean isPolling(int cpu) {
        return state[cpu] == SLEEP && spinning.isUsed() && spinning.on(cpu) == NONE;
    }

    /** Work of jobs that was done by {@code now}, ns. */
    long jobWorkBy(long now) {
        long work = stats.workNanos - stats.residentNanos;
        for (int cpu = 0; cpu < state.length; cpu++) {
            if (state[cpu] == RUN && !tasks.isResident(running.task(cpu))) {
                work += running.workedBy(cpu, now);
            }
        }
        return work;
    }

    private boolean isWaiting(int cpu) {
        return state[cpu] == WAIT || state[cpu] == SLEEP;
    }

    // ---- events

    /** The CPU's own event: a look is due, or what it runs has come to a point. */
    void event(int cpu, long now) {
        switch (state[cpu]) {
            case RUN -> point(cpu, now);
            case SLEEP -> {
                if (now < spinning.resumeNanos(cpu) || !goOn(cpu)) {
                    wakeUp(cpu, 0);
                }
            }
            default -> look(cpu, now);
        }
    }

    /** An interrupt reaches the CPU. */
    void interrupt(int cpu, long arrivedNanos) {
        if (state[cpu] == SLEEP) {
            wakeUp(cpu, region.receiveNanos());
        } else if (state[cpu] == RUN) {
            interruptRunning(cpu, arrivedNanos);
        }
    }

    /** The agent has just seen that the CPU sleeps, and wakes it. */
    void rang(int cpu) {
        rang[cpu] = true;
    }

    /** A decision for the CPU can be seen from then on; see {@link SimSignals#decisionVisible}. */
    void visible(int cpu, long nanos, long lookedNanos) {
        visibleNanos[cpu] = Math.max(visibleNanos[cpu], nanos);
        boolean looked = !rang[cpu] && lookedNanos != SimSignals.NOT;
        agentLookedNanos[cpu] = rang[cpu] ? SimSignals.NOT : Math.max(agentLookedNanos[cpu], lookedNanos);
        rang[cpu] = false;
        if (events.cpuDue(cpu) <= nanos) {
            return; // it looks no later
        }
        // its last look before sleeping saw it, also where the agent looked before it could know that the CPU sleeps
        boolean slept = state[cpu] == SLEEP
                && (nanos <= sleepLookNanos[cpu] || looked && lookedNanos < region.sleepKnownNanos(cpu));
        if (state[cpu] == WAIT || slept) {
            long at = slept ? Math.max(nanos, sleepLookNanos[cpu]) : nextLook(cpu, nanos);
            if (at < events.cpuDue(cpu)) {
                events.cpuAt(cpu, at);
            }
        }
    }

    /** Jobs came, or a closed loop may have new ones: idle CPUs and overrun slices take notice. */
    void workMayHaveCome(long now) {
        tasks.armArrivals();
        for (int cpu = spinning.nextWoken(); cpu >= 0; cpu = spinning.nextWoken()) {
            if (state[cpu] == SLEEP && spinning.resumeNanos(cpu) < events.cpuDue(cpu)) {
                events.cpuAt(cpu, spinning.resumeNanos(cpu));
            }
        }
        giveWay();
        watch.arm(now, waiting);
        if (!agents.isReady() && waiting > 0 && mechanism.runnableCount() > 0) {
            events.at(SimEvent.Single.WATCHDOG, Math.max(now, time.nanoTime()));
        }
    }

    /** CPUs that have waited for longer than the soft window decide by themselves; without an agent, all that wait. */
    void helpOverdue(long now) {
        boolean agentReady = agents.isReady();
        for (int cpu = 0; cpu < state.length; cpu++) {
            if (isWaiting(cpu) && (watch.isOverdue(waitSince[cpu], now) || !agentReady)
                    && mechanism.hasWorkFor(cpu)) {
                help(cpu, now);
            }
        }
        watch.arm(now, waiting);
    }

    /** The host's own policy runs a task that the agents pass over, on a CPU that waits or is taken for it. */
    void helpStarved(int task, long now) {
        int busy = NONE;
        for (int cpu = 0; cpu < state.length; cpu++) {
            if (!mechanism.mayHelp(cpu, task)) {
                continue;
            }
            if (isWaiting(cpu)) {
                help(cpu, now);
                return;
            }
            busy = busy == NONE && state[cpu] == RUN ? cpu : busy;
        }
        if (busy != NONE) {
            running.sliceEndsAt(busy, time.nanoTime());
            events.cpuAt(busy, Math.max(time.nanoTime(), running.since(busy)));
        }
    }

    private void help(int cpu, long now) {
        time.set(now);
        time.actsOn(context.shape().topology().socketOf(cpu));
        if (state[cpu] == SLEEP) {
            end.leaveSleep(cpu);
        }
        decideLocally(cpu);
    }

    // ---- waiting for a decision

    private void wakeUp(int cpu, long costNanos) {
        end.leaveSleep(cpu);
        time.charge(costNanos);
        toLook(cpu);
    }

    /** An idle CPU looks at regular intervals; only the first look that can find something is simulated. */
    private long nextLook(int cpu, long visible) {
        long first = waitSince[cpu] + region.sampleNanos();
        long period = region.pollNanos();
        return visible <= first ? first : first + (visible - first + period - 1) / period * period;
    }

    /** The CPU is free of its task and will look for the next. */
    private void toLook(int cpu) {
        if (isWaiting(cpu)) {
            waiting--;
        }
        state[cpu] = DECIDE;
        events.cpuAt(cpu, region.lookAt(cpu, time.nanoTime()));
    }

    private void look(int cpu, long now) {
        if (state[cpu] == WAIT) {
            region.bus.hostReads += region.sampleNanos() == 0 ? 0 : (now - waitSince[cpu]) / region.pollNanos();
        }
        lookedNanos[cpu] = region.look(cpu);
        int starving = starvation.overdue();
        if (starving != NONE && mechanism.mayHelp(cpu, starving) && decideLocally(cpu)) {
            return;
        }
        int task = mechanism.decide(cpu);
        sampleLater(cpu);
        if (task != NONE) {
            watch.answered(now);
            start(cpu, task, 0);
            return;
        }
        if (mechanism.runnableCount() > 0) {
            if (!agents.isReady() && decideLocally(cpu)) {
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
        trace.add(SimTrace.Kind.WAITS, cpu, SimTrace.NO_TASK, mechanism.runnableCount());
        long due = SimEvents.NEVER;
        if (!polling && !mechanism.enterSleep(cpu)) {
            due = sleep(cpu);
        } else if (!polling) {
            end.leaveSleep(cpu);
        }
        if (state[cpu] == WAIT && visibleNanos[cpu] > lookedNanos[cpu]) {
            due = nextLook(cpu, visibleNanos[cpu]);
        }
        events.cpuAt(cpu, due);
        watch.arm(now, waiting);
    }

    /**
     * The CPU has said that it sleeps and looked once more. An agent that is simulated further ahead, in the middle of a
     * round, had not seen it: if it looks after it is there, it wakes the CPU; else the CPU's look comes after the decision.
     *
     * @return when the CPU looks again by itself
     */
    private long sleep(int cpu) {
        state[cpu] = SLEEP;
        sleepLookNanos[cpu] = time.nanoTime() - region.sampleNanos();
        long looked = agentLookedNanos[cpu];
        agentLookedNanos[cpu] = SimSignals.NOT;
        if (looked >= region.sleepKnownNanos(cpu)) {
            agents.wakes(context.shape().agentOf(cpu), cpu, looked);
            rang[cpu] = false; // for a decision that is known already
        } else if (looked != SimSignals.NOT && visibleNanos[cpu] > sleepLookNanos[cpu]) {
            return visibleNanos[cpu]; // a decision that left before a read of the other side is answered comes before the answer
        }
        return Math.min(spinning.resumeNanos(cpu), time.nanoTime() + SimEngine.HOUSEKEEPING_NANOS);
    }

    // ---- workers that spin

    /** The worker that spins on the CPU goes on with a new job, if no decision has taken that elsewhere. */
    private boolean goOn(int cpu) {
        int task = spinning.on(cpu);
        time.freeze(true); // the kernel has no part in it
        boolean goesOn = mechanism.resume(cpu, task);
        time.freeze(false);
        if (!goesOn) {
            spinning.leaves(cpu);
            return false;
        }
        end.leaveSleep(cpu);
        mechanism.commit();
        stats.resumed++;
        runs(cpu, task, 2);
        return true;
    }

    /** Says that a decision will be needed; a prefetch may begin. */
    private void wantNext(int cpu) {
        mechanism.want(cpu);
        sampleLater(cpu);
    }

    private void sampleLater(int cpu) {
        long sample = region.sampleDue(cpu);
        if (sample != SimEvents.NEVER) {
            events.prefetchAt(cpu, sample);
        }
    }

    // ---- running a task

    /** A decided task begins; {@code local} is 1 if the host itself decided. */
    private void start(int cpu, int task, int local) {
        mechanism.commit();
        time.charge(costs.kernel().contextSwitch() + (tasks.isNew(task) ? costs.kernel().coldStart() : 0));
        stats.switches++;
        crossings.starts(cpu, task);
        spinning.leaves(cpu);
        runs(cpu, task, local);
    }

    /** The task is on the CPU; {@code how} is 0 if the agent decided, 1 if the host did, 2 if it had stayed there. */
    private void runs(int cpu, int task, int how) {
        if (isWaiting(cpu)) {
            waiting--;
        }
        state[cpu] = RUN;
        asked[cpu] = false;
        spinning.starts(task);
        tasks.setWaiting(task, false);
        running.start(cpu, task, time.nanoTime(), mechanism.sliceNanos(cpu));
        trace.add(SimTrace.Kind.RUNS, cpu, task, how);
        running.speedChanges(cpu, true);
        running.arm(cpu);
    }

    /** The running task has come to a point: its end, its pause, its slice, or a tick. */
    private void point(int cpu, long now) {
        running.progress(cpu, now);
        int task = running.task(cpu);
        if (tasks.remainingNanos[task] <= 0) {
            leave(cpu, task, now, false);
        } else if (tasks.untilPauseNanos[task] <= 0) {
            leave(cpu, task, now, true);
        } else if (running.isSliceOver(cpu, now)) {
            sliceOver(cpu, now);
        } else {
            time.charge(running.tick(cpu, now) ? costs.kernel().tick() : 0);
            running.resume(cpu);
        }
    }

    private void sliceOver(int cpu, long now) {
        if (dispatched && !interrupted[cpu]) { // it says so when the interrupt is over: what others say meanwhile comes first
            interrupted[cpu] = true;
            time.charge(costs.kernel().interrupt());
            running.resume(cpu);
            return;
        }
        time.charge(dispatched ? 0 : costs.kernel().interrupt());
        if (dispatched || mechanism.runnableCount() > 0) {
            preempt(cpu, now, SimTrace.Kind.SLICE_OVER);
        } else {
            running.noSlice(cpu);
            if (!overrun[cpu]) {
                overrun[cpu] = true;
                overrunning++;
            }
            running.resume(cpu);
        }
    }

    /** An interrupt for a running CPU: perhaps a preempting decision. */
    private void interruptRunning(int cpu, long arrivedNanos) {
        if (!end.isKicked(cpu)) {
            return;
        }
        long now = Math.max(arrivedNanos, running.since(cpu)); // interrupts are off while it switches
        time.set(now);
        running.progress(cpu, now);
        time.charge(region.receiveNanos() + region.sampleNanos());
        region.look(cpu);
        if (mechanism.isPreemptionWanted(cpu)) {
            preempt(cpu, now, SimTrace.Kind.PREEMPTED);
        } else {
            mechanism.commit();
            running.resume(cpu);
        }
    }

    /** Work has come and no CPU waits: a task that runs past its slice gives way. */
    private void giveWay() {
        if (overrunning == 0 || waiting > 0 || mechanism.runnableCount() == 0) {
            return;
        }
        for (int cpu = 0; cpu < overrun.length; cpu++) {
            if (overrun[cpu] && state[cpu] == RUN) {
                running.sliceEndsAt(cpu, time.nanoTime());
                events.cpuAt(cpu, Math.max(time.nanoTime(), running.since(cpu)));
                return;
            }
        }
    }

    /** Books what the tasks that still run have done when the run is over. */
    void over(long now) {
        for (int cpu = 0; cpu < state.length; cpu++) {
            if (state[cpu] == RUN) {
                long until = Math.min(now, events.cpuDue(cpu)); // the last round may have gone on beyond a task's point
                book(cpu, Math.max(until, running.startedNanos(cpu)));
            }
        }
    }

    private void book(int cpu, long now) {
        long worked = running.workedBy(cpu, now);
        stats.busyNanos += now - running.startedNanos(cpu);
        stats.workNanos += worked;
        int resident = tasks.resident(running.task(cpu));
        if (resident >= 0) {
            stats.residentNanos += worked;
            stats.residentsNanos[resident] += worked;
        }
    }

    private void endRun(int cpu, long now) {
        book(cpu, now);
        interrupted[cpu] = false;
        if (overrun[cpu]) {
            overrun[cpu] = false;
            overrunning--;
        }
        running.speedChanges(cpu, false);
    }

    private void leave(int cpu, int task, long now, boolean pause) {
        endRun(cpu, now);
        long ran = now - running.startedNanos(cpu);
        time.charge(costs.kernel().entry());
        wantNext(cpu);
        if (!pause) {
            trace.add(SimTrace.Kind.DONE, cpu, task, tasks.jobClass(task));
            mechanism.blocked(task, ran);
            if (spinning.isUsed() && !tasks.isResident(task)) {
                spinning.stays(task, cpu);
            }
            tasks.finished(task, now);
        } else {
            long length = tasks.beginPause(task);
            trace.add(length == 0 ? SimTrace.Kind.YIELDS : SimTrace.Kind.BLOCKS, cpu, task, 0);
            if (length == 0) {
                tasks.setWaiting(task, true);
                mechanism.yielded(task, ran);
            } else {
                mechanism.blocked(task, ran);
                tasks.sleep(task, now + length);
            }
        }
        mechanism.commit();
        toLook(cpu);
        workMayHaveCome(now);
    }

    private void preempt(int cpu, long now, SimTrace.Kind why) {
        int task = running.task(cpu);
        endRun(cpu, now);
        stats.preemptions++;
        trace.add(why, cpu, task, mechanism.runnableCount());
        wantNext(cpu);
        tasks.setWaiting(task, true);
        mechanism.preempted(task, now - running.startedNanos(cpu));
        mechanism.commit();
        toLook(cpu);
        workMayHaveCome(now);
    }
}
