package dev.bascule.study.sim;

import dev.bascule.agent.Mechanism;
import java.util.Arrays;
import java.util.List;

/**
 * Tasks and the jobs they carry: gives arriving jobs to idle tasks of their class, keeps a backlog of those that find
 * none, and wakes who paused.
 */
final class SimTasks {
    /** Words of a job that waits for a task. */
    private static final int WORDS = 6;

    private final SimTime time;
    private final SimEvents events;
    private final TraceWriter trace;
    private final SimLoad load;
    private final Mechanism mechanism;
    private final SimStats stats;
    private final int backlog;
    private final long lastArrivalNanos;
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
    private final long[] expectedNanos;
    private final long[] expectedOfClass;
    private final long lookNanos;
    private final SpinningWorkers spinning;
    /** The source walks through all workers for idle ones, again and again, and gives jobs to those it has found. */
    private final boolean searches;
    private final int most;
    private final long[] idleSinceNanos;
    private long sourceFreeNanos;

    SimTasks(SimContext context, SimLoad load) {
        SimOptions options = context.options();
        time = context.time();
        events = context.events();
        trace = context.trace();
        this.load = load;
        mechanism = context.mechanism();
        stats = context.stats();
        backlog = options.backlog();
        // what a balancer has given to a busy host arrives however late
        lastArrivalNanos = load instanceof HostShare ? EventTree.NEVER - 1 : options.horizonNanos();
        int tasks = context.shape().tasks();
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
        expectedNanos = new long[tasks];
        expectedOfClass = new long[classes];
        lookNanos = context.costs().kernel().sourceLook();
        spinning = new SpinningWorkers(options.spinningWorkers() ? tasks : 0, options.cpus(),
                context.costs().kernel().resume());
        searches = options.spinningWorkers() && lookNanos > 0;
        most = options.dispatcher() && lookNanos > 0 ? 1 : Integer.MAX_VALUE;
        idleSinceNanos = new long[tasks];
        Arrays.fill(resident, -1);
        for (int c = 0; c < classes; c++) {
            waiting[c] = new LongRing(1024);
            expectedOfClass[c] = load.expectedNanos(c);
            idleFrom[c] = c * options.workers();
            for (int i = 0; i < options.workers(); i++) {
                int task = mechanism.create(false, load.affinity(c), load.nice(c), c);
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

    /** Number of the resident that the task is; below 0: it carries jobs. */
    int resident(int task) {
        return resident[task];
    }

    int jobClass(int task) {
        return jobClass[task];
    }

    // ---- arrivals

    /**
     * When the source acts next: it produces messages one after the other. One that looks for arrivals and free workers by
     * turns sees an arrival at the end of its next look.
     */
    private long nextArrivalNanos() {
        long next = load.nextArrivalNanos();
        if (next == SimLoad.NO_MORE) {
            return EventTree.NEVER;
        }
        return lookNanos == 0 ? Math.max(next, sourceFreeNanos) : lookNanos(next);
    }

    /** The end of the source's first look that ends after that time. */
    private long lookNanos(long nanos) {
        long ago = Math.max(1, nanos - sourceFreeNanos);
        return sourceFreeNanos + (ago + lookNanos - 1) / lookNanos * lookNanos;
    }

    /** Workers that spin, by CPU. */
    SpinningWorkers spinning() {
        return spinning;
    }

    /** Sets the time of the next arrival; none comes after the horizon, except what a balancer took before it. */
    void armArrivals() {
        long next = mayArrive() ? nextArrivalNanos() : SimEvents.NEVER;
        for (int c = 0; c < waiting.length && searches; c++) {
            next = waiting[c].isEmpty() || idleCount[c] == 0 ? next : Math.min(next, lookNanos(time.nanoTime()));
        }
        events.at(SimEvent.Single.ARRIVAL, next);
    }

    /** Whether the source gives away another job in time, as things are. */
    boolean mayArrive() {
        return nextArrivalNanos() <= lastArrivalNanos;
    }

    /** Takes every job that is due. */
    void arrive(long nowNanos) {
        for (int c = 0; c < waiting.length && searches; c++) {
            giveWaiting(c, nowNanos);
        }
        int taken = 0;
        for (long due = load.nextArrivalNanos(); due <= nowNanos && taken < most; due = load.nextArrivalNanos()) {
            taken++;
            load.take(job);
            int c = job.jobClass();
            if (waiting[c].size() / WORDS >= backlog && idleCount[c] == 0) {
                stats.rejected++;
                trace.add(SimTrace.Kind.REJECTED, 0, SimTrace.NO_TASK, c);
                load.finished(c, nowNanos);
                continue;
            }
            stats.arrives(nowNanos, due, job.demandNanos());
            long expected = job.expectedNanos() < 0 ? expectedOfClass[c] : job.expectedNanos();
            int task = waiting[c].isEmpty() ? takeIdle(c, nowNanos) : Mechanism.NONE;
            if (task != Mechanism.NONE) {
                give(task, due, job.demandNanos(), job.deadlineNanos(), expected, job.pauseAfterNanos(),
                        job.pauseNanos());
            } else {
                LongRing ring = waiting[c];
                ring.add(due);
                ring.add(job.demandNanos());
                ring.add(job.deadlineNanos());
                ring.add(expected);
                ring.add(job.pauseAfterNanos());
                ring.add(job.pauseNanos());
            }
        }
        mechanism.commit();
        sourceFreeNanos = time.nanoTime();
    }

    private void giveWaiting(int c, long nowNanos) {
        LongRing ring = waiting[c];
        for (int task = 0; !ring.isEmpty() && task != Mechanism.NONE;) {
            task = takeIdle(c, nowNanos);
            if (task != Mechanism.NONE) {
                give(task, ring);
            }
        }
    }

    /**
     * The worker that became idle last; of those that spin the lowest, as a source that looks through all of them finds
     * it: one that became idle after the source came by is found by its next look.
     */
    private int takeIdle(int c, long nowNanos) {
        int last = idleFrom[c] + idleCount[c] - 1;
        int lowest = spinning.isUsed() ? Mechanism.NONE : last;
        for (int i = idleFrom[c]; i <= last && spinning.isUsed(); i++) {
            if ((lowest == Mechanism.NONE || idle[i] < idle[lowest]) && isFound(idle[i], c, nowNanos)) {
                lowest = i;
            }
        }
        if (lowest < idleFrom[c]) {
            return Mechanism.NONE;
        }
        int task = idle[lowest];
        idle[lowest] = idle[last];
        idleCount[c]--;
        return task;
    }

    private boolean isFound(int task, int c, long nowNanos) {
        int workers = idle.length / idleFrom.length;
        return !searches || idleSinceNanos[task] <= nowNanos - lookNanos + lookNanos * (task - idleFrom[c]) / workers;
    }

    private void give(int task, LongRing ring) {
        give(task, ring.poll(), ring.poll(), ring.poll(), ring.poll(), ring.poll(), ring.poll());
    }

    private void give(int task, long arrival, long demand, long deadline, long expected, long pauseAfter, long pause) {
        arrivalNanos[task] = arrival;
        demandNanos[task] = demand;
        remainingNanos[task] = demand;
        deadlineNanos[task] = deadline;
        expectedNanos[task] = expected;
        untilPauseNanos[task] = pauseAfter > 0 && pauseAfter < demand ? pauseAfter : Long.MAX_VALUE;
        pauseNanos[task] = pause;
        waits[task] = true;
        trace.add(SimTrace.Kind.ARRIVES, 0, task, jobClass[task]);
        mechanism.wakeup(task, deadline, expected);
        spinning.hasJob(task, time.nanoTime());
    }

    /** Whether the task has a job that it has not looked at yet. */
    boolean isNew(int task) {
        return resident[task] < 0 && remainingNanos[task] == demandNanos[task];
    }

    /** Says whether the task is runnable and on no CPU. */
    void setWaiting(int task, boolean isWaiting) {
        waits[task] = isWaiting;
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
        stats.ends(nowNanos, arrivalNanos[task], c, demandNanos[task]);
        LongRing ring = waiting[c];
        if (ring.isEmpty() || searches) {
            idleSinceNanos[task] = time.nanoTime();
            idle[idleFrom[c] + idleCount[c]++] = task;
        } else {
            give(task, ring);
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
        events.at(SimEvent.Single.WAKE, sleepers.due(sleepers.first()));
    }

    /** Wakes whose time has come. */
    void wakeSleepers(long nowNanos) {
        while (sleepers.due(sleepers.first()) <= nowNanos) {
            int task = sleepers.first();
            sleepers.set(task, EventTree.NEVER);
            waits[task] = true;
            trace.add(SimTrace.Kind.WAKES, 0, task, 0);
            mechanism.wakeup(task, deadlineNanos[task], expectedNanos[task]);
        }
        mechanism.commit();
        events.at(SimEvent.Single.WAKE, sleepers.due(sleepers.first()));
    }
}
