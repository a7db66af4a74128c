package dev.bascule.host.sim;

import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import java.util.Arrays;

/** What happens on a CPU from the start of a task to the moment when it looks for the next. */
final class SimRuns {
    private final SimEngine engine;
    private final SimCpus cpus;
    private final Mechanism mechanism;
    private final MechanismEnd end;
    private final SimRegion region;
    private final SimTime time;
    private final SimCosts costs;
    private final EventTree events;
    private final SimStats stats;
    private final CpuSpeed speed;
    private final RunClock run;
    private final boolean[] overrun;
    private int overrunning;
    private final boolean isMany;
    private final byte[] lastSocket;

    SimRuns(SimEngine engine, SimCpus cpus, SimOptions options) {
        this.engine = engine;
        this.cpus = cpus;
        mechanism = engine.mechanism;
        end = engine.end;
        region = engine.region;
        time = engine.time;
        costs = engine.costs;
        events = engine.events;
        stats = engine.stats;
        speed = new CpuSpeed(options, costs);
        run = new RunClock(options, speed);
        overrun = new boolean[options.cpus()];
        isMany = options.sockets() > 1;
        lastSocket = new byte[isMany ? engine.shape.tasks() : 0];
        Arrays.fill(lastSocket, (byte) -1);
    }

    /** An interrupt for a running CPU: perhaps a preempting decision. */
    void interrupt(int cpu, long arrivedNanos) {
        if (!end.isKicked(cpu)) {
            return;
        }
        long now = Math.max(arrivedNanos, run.since(cpu)); // interrupts are off while it switches
        time.set(now);
        progress(cpu, now);
        time.charge(costs.kernel().interrupt() + region.sampleNanos());
        region.look(cpu);
        if (mechanism.isPreemptionWanted(cpu)) {
            preempt(cpu, now, SimTrace.Kind.PREEMPTED);
        } else {
            mechanism.commit();
            resume(cpu);
        }
    }

    /** A decided task begins. */
    void start(int cpu, int task, int local) {
        mechanism.commit();
        time.charge(costs.kernel().contextSwitch());
        stats.switches++;
        if (isMany) {
            comesFrom(cpu, task);
        }
        engine.tasks.waits(task, false);
        run.start(cpu, task, time.nanoTime(), mechanism.sliceNanos(cpu));
        engine.note(SimTrace.Kind.RUNS, cpu, task, local);
        speedChanges(cpu, true);
        arm(cpu);
    }

    /** A task that ran on another socket last finds nothing of its own in the caches here. */
    private void comesFrom(int cpu, int task) {
        int here = engine.shape.topology().socketOf(cpu);
        int last = lastSocket[task];
        lastSocket[task] = (byte) here;
        if (last >= 0 && last != here) {
            stats.crossings++;
            engine.note(SimTrace.Kind.CROSSES, cpu, task, last << 8 | here);
            time.charge(costs.crossing().migration());
        }
    }

    private void arm(int cpu) {
        events.set(cpu, run.nextPoint(cpu, engine.tasks));
    }

    private void resume(int cpu) {
        run.resumeAt(cpu, time.nanoTime());
        arm(cpu);
    }

    private void progress(int cpu, long now) {
        run.progress(cpu, engine.tasks, now);
        if (speed.isVariable()) {
            speed.refresh(cpu); // may have changed since its last point, and before this one was handled
        }
    }

    private void speedChanges(int cpu, boolean busy) {
        if (!speed.isVariable()) {
            return;
        }
        long now = time.nanoTime();
        boolean all = speed.set(cpu, busy);
        for (int other = 0; other < overrun.length; other++) {
            if (all || other >> 1 == cpu >> 1) {
                if (cpus.isRunning(other) && other != cpu) {
                    if (events.due(other) <= now) {
                        continue; // it comes to its point before the change
                    }
                    run.progress(other, engine.tasks, Math.max(now, run.since(other)));
                    speed.refresh(other);
                    arm(other);
                } else {
                    speed.refresh(other);
                }
            }
        }
    }

    /** The running task has come to a point: its end, its pause, its slice, or a tick. */
    void event(int cpu, long now) {
        progress(cpu, now);
        int task = run.task(cpu);
        if (engine.tasks.remainingNanos[task] <= 0) {
            leave(cpu, task, now, false);
        } else if (engine.tasks.untilPauseNanos[task] <= 0) {
            leave(cpu, task, now, true);
        } else if (run.isSliceOver(cpu, now)) {
            time.charge(costs.kernel().interrupt());
            if (mechanism.runnableCount() > 0) {
                preempt(cpu, now, SimTrace.Kind.SLICE_OVER);
            } else {
                run.noSlice(cpu);
                if (!overrun[cpu]) {
                    overrun[cpu] = true;
                    overrunning++;
                }
                resume(cpu);
            }
        } else {
            time.charge(run.tick(cpu, now) ? costs.kernel().tick() : 0);
            resume(cpu);
        }
    }

    /** Work has come and no CPU waits: a task that runs past its slice gives way. */
    void giveWay() {
        if (overrunning == 0 || cpus.waiting() > 0 || mechanism.runnableCount() == 0) {
            return;
        }
        for (int cpu = 0; cpu < overrun.length; cpu++) {
            if (overrun[cpu] && cpus.isRunning(cpu)) {
                run.sliceEndsAt(cpu, time.nanoTime());
                events.set(cpu, Math.max(time.nanoTime(), run.since(cpu)));
                return;
            }
        }
    }

    private void ended(int cpu, int task, long now) {
        stats.busyNanos += now - run.startedNanos(cpu);
        stats.workNanos += run.workedNanos(cpu);
        if (engine.tasks.isResident(task)) {
            stats.residentNanos += run.workedNanos(cpu);
        }
        if (overrun[cpu]) {
            overrun[cpu] = false;
            overrunning--;
        }
        speedChanges(cpu, false);
    }

    private void leave(int cpu, int task, long now, boolean pause) {
        ended(cpu, task, now);
        long ran = now - run.startedNanos(cpu);
        time.charge(costs.kernel().entry());
        cpus.wantNext(cpu);
        if (!pause) {
            engine.note(SimTrace.Kind.DONE, cpu, task, engine.tasks.jobClass(task));
            mechanism.blocked(task, ran);
            engine.tasks.finished(task, now);
        } else {
            long length = engine.tasks.beginPause(task);
            engine.note(length == 0 ? SimTrace.Kind.YIELDS : SimTrace.Kind.BLOCKS, cpu, task, 0);
            if (length == 0) {
                engine.tasks.waits(task, true);
                mechanism.yielded(task, ran);
            } else {
                mechanism.blocked(task, ran);
                engine.tasks.sleep(task, now + length);
            }
        }
        mechanism.commit();
        cpus.toLook(cpu);
        engine.workMayHaveCome(now);
    }

    private void preempt(int cpu, long now, SimTrace.Kind why) {
        int task = run.task(cpu);
        ended(cpu, task, now);
        stats.preemptions++;
        engine.note(why, cpu, task, mechanism.runnableCount());
        cpus.wantNext(cpu);
        engine.tasks.waits(task, true);
        mechanism.preempted(task, now - run.startedNanos(cpu));
        mechanism.commit();
        cpus.toLook(cpu);
        engine.workMayHaveCome(now);
    }
}
