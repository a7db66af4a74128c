package dev.bascule.host.sim;

import dev.bascule.agent.Mechanism;
import java.util.Arrays;
import java.util.List;

/**
 * Tasks and the jobs they carry: gives arriving jobs to idle tasks of their class, keeps a backlog of those that find
 * none, and wakes who paused.
 */
final class SimTasks {
    private final SimEngine engine;
    private final SimLoad load;
    private final Mechanism mechanism;
    private final SimStats stats;
    private final int backlog;
    private final int[] idle;
    private final int[] idleFrom;
    private final int[] idleCount;
    private final LongRing[] waiting;
    private final EventTree sleepers;
    private final SimJob job = new SimJob();

    final long[] remainingNanos;
    final long[] untilPauseNanos;
    private final long[] arrivalNanos;
    private final long[] demandNanos;
    private final long[] deadlineNanos;
    private final long[] pauseNanos;
    private final int[] jobClass;
    private final int[] resident;
    private final boolean[] waits;
    private long active;
    private long sourceFreeNanos;

    SimTasks(SimEngine engine, SimLoad load, SimOptions options) {
        this.engine = engine;
        this.load = load;
        mechanism = engine.mechanism;
        stats = engine.stats;
        backlog = options.backlog();
        int tasks = engine.shape.tasks();
        int classes = load.classes();
        idle = new int[classes * options.workers()];
        idleFrom = new int[classes];
        idleCount = new int[classes];
        waiting = new LongRing[classes];
        sleepers = new EventTree(tasks);
        remainingNanos = new long[tasks];
        untilPauseNanos = new long[tasks];
        arrivalNanos = new long[tasks];
        demandNanos = new long[tasks];
        deadlineNanos = new long[tasks];
        pauseNanos = new long[tasks];
        jobClass = new int[tasks];
        resident = new int[tasks];
        waits = new boolean[tasks];
        Arrays.fill(resident, -1);
        for (int c = 0; c < classes; c++) {
            waiting[c] = new LongRing(1024);
            idleFrom[c] = c * options.workers();
            for (int i = 0; i < options.workers(); i++) {
                int task = mechanism.create(false, -1, 0, c);
                jobClass[task] = c;
                idle[idleFrom[c] + idleCount[c]++] = task;
            }
        }
        createResidents(load.residents());
    }

    private void createResidents(List<SimLoad.Resident> residents) {
        for (int i = 0; i < residents.size(); i++) {
            SimLoad.Resident one = residents.get(i);
            int task = mechanism.create(true, one.affinity(), one.nice(), one.taskClass());
            resident[task] = i;
            remainingNanos[task] = load.burstNanos(i);
            untilPauseNanos[task] = Long.MAX_VALUE;
        }
    }

    static int count(SimLoad load, SimOptions options) {
        return load.classes() * options.workers() + load.residents().size();
    }

    boolean isResident(int task) {
        return resident[task] >= 0;
    }

    int jobClass(int task) {
        return jobClass[task];
    }

    long active() {
        return active;
    }

    // ---- arrivals

    /** When the source acts next: it produces messages one after the other. */
    long nextArrivalNanos() {
        long next = load.nextArrivalNanos();
        return next == SimLoad.NO_MORE ? EventTree.NEVER : Math.max(next, sourceFreeNanos);
    }

    /** Takes every job that is due. */
    void arrive(long nowNanos) {
        for (long due = load.nextArrivalNanos(); due <= nowNanos; due = load.nextArrivalNanos()) {
            load.take(job);
            int c = job.jobClass();
            if (waiting[c].size() / 5 >= backlog && idleCount[c] == 0) {
                stats.rejected++;
                engine.note(SimTrace.Kind.REJECTED, 0, 0xff_ffff, c);
                load.finished(c, nowNanos);
                continue;
            }
            stats.arrives(nowNanos, due);
            if (idleCount[c] > 0) {
                int task = idle[idleFrom[c] + --idleCount[c]];
                give(task, due, job.demandNanos(), job.deadlineNanos(), job.pauseAfterNanos(), job.pauseNanos());
            } else {
                LongRing ring = waiting[c];
                ring.add(due);
                ring.add(job.demandNanos());
                ring.add(job.deadlineNanos());
                ring.add(job.pauseAfterNanos());
                ring.add(job.pauseNanos());
            }
        }
        mechanism.commit();
        sourceFreeNanos = engine.time.nanoTime();
    }

    private void give(int task, long arrival, long demand, long deadline, long pauseAfter, long pause) {
        active++;
        arrivalNanos[task] = arrival;
        demandNanos[task] = demand;
        remainingNanos[task] = demand;
        deadlineNanos[task] = deadline;
        untilPauseNanos[task] = pauseAfter > 0 && pauseAfter < demand ? pauseAfter : Long.MAX_VALUE;
        pauseNanos[task] = pause;
        waits[task] = true;
        engine.note(SimTrace.Kind.ARRIVES, 0, task, jobClass[task]);
        mechanism.wakeup(task, deadline);
    }

    /** Whether the task is runnable and on no CPU. */
    void waits(int task, boolean now) {
        waits[task] = now;
    }

    /** A waiting task's priority changes: what has been decided about it is stale. */
    void change(int task) {
        if (waits[task]) {
            mechanism.setPriority(task, 0);
            mechanism.commit();
        }
    }

    // ---- ends of work

    /** The task has done its job, or its burst; the mechanism has been told that it blocks. */
    void finished(int task, long nowNanos) {
        int who = resident[task];
        if (who >= 0) {
            remainingNanos[task] = load.burstNanos(who);
            sleep(task, nowNanos + Math.max(1, load.pauseNanos(who)));
            return;
        }
        int c = jobClass[task];
        active--;
        stats.ends(nowNanos, arrivalNanos[task], c, demandNanos[task]);
        LongRing ring = waiting[c];
        if (ring.isEmpty()) {
            idle[idleFrom[c] + idleCount[c]++] = task;
        } else {
            give(task, ring.poll(), ring.poll(), ring.poll(), ring.poll(), ring.poll());
        }
        load.finished(c, nowNanos);
    }

    /** Length of the pause the task has come to; 0: it yields. */
    long beginPause(int task) {
        untilPauseNanos[task] = Long.MAX_VALUE;
        return pauseNanos[task];
    }

    void sleep(int task, long untilNanos) {
        sleepers.set(task, untilNanos);
        engine.sleepersChanged(sleepers.due(sleepers.first()));
    }

    /** Wakes whose time has come. */
    void wakeSleepers(long nowNanos) {
        while (sleepers.due(sleepers.first()) <= nowNanos) {
            int task = sleepers.first();
            sleepers.set(task, EventTree.NEVER);
            waits[task] = true;
            engine.note(SimTrace.Kind.WAKES, 0, task, 0);
            mechanism.wakeup(task, deadlineNanos[task]);
        }
        mechanism.commit();
        engine.sleepersChanged(sleepers.due(sleepers.first()));
    }

    /** Jobs that wait for a task. */
    long backlogged() {
        long all = 0;
        for (LongRing ring : waiting) {
            all += ring.size() / 5;
        }
        return all;
    }
}
