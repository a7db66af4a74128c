package dev.bascule.study.sim;

/** Tasks on the CPUs: which one runs, since when, how much of it is done, and when it next comes to a point. */
final class RunningTasks {
    private final SimTasks tasks;
    private final SimTime time;
    private final SimEvents events;
    private final CpuSpeed speed;
    private final boolean variable;
    private final boolean[] isRunning;
    private final long tickNanos;
    private final int[] task;
    private final long[] startedNanos;
    private final long[] sinceNanos;
    private final long[] sliceEndNanos;
    private final long[] nextTickNanos;
    private final long[] workedNanos;

    RunningTasks(SimContext context, SimTasks tasks) {
        this.tasks = tasks;
        time = context.time();
        events = context.events();
        SimOptions options = context.options();
        speed = new CpuSpeed(options, context.costs());
        variable = speed.isVariable();
        tickNanos = options.tickNanos();
        int n = options.cpus();
        isRunning = new boolean[n];
        task = new int[n];
        startedNanos = new long[n];
        sinceNanos = new long[n];
        sliceEndNanos = new long[n];
        nextTickNanos = new long[n];
        workedNanos = new long[n];
    }

    void start(int cpu, int newTask, long now, long sliceNanos) {
        task[cpu] = newTask;
        startedNanos[cpu] = now;
        sinceNanos[cpu] = now;
        sliceEndNanos[cpu] = sliceNanos == 0 ? EventTree.NEVER : now + sliceNanos;
        nextTickNanos[cpu] = tickNanos == 0 ? EventTree.NEVER : now + tickNanos;
        workedNanos[cpu] = 0;
    }

    int task(int cpu) {
        return task[cpu];
    }

    long startedNanos(int cpu) {
        return startedNanos[cpu];
    }

    long since(int cpu) {
        return sinceNanos[cpu];
    }

    long workedNanos(int cpu) {
        return workedNanos[cpu];
    }

    /** Books the work done since the last time. A task whose start lies ahead has done none. */
    void progress(int cpu, long now) {
        book(cpu, now);
        if (variable) {
            speed.refresh(cpu); // may have changed since its last point, and before this one was handled
        }
    }

    private void book(int cpu, long now) {
        long elapsed = now - sinceNanos[cpu];
        if (elapsed <= 0) {
            return;
        }
        long worked = variable ? elapsed * speed.of(cpu) / CpuSpeed.FULL : elapsed;
        sinceNanos[cpu] = now;
        workedNanos[cpu] += worked;
        int running = task[cpu];
        if (tasks.remainingNanos[running] != Long.MAX_VALUE) {
            tasks.remainingNanos[running] -= worked;
        }
        if (tasks.untilPauseNanos[running] != Long.MAX_VALUE) {
            tasks.untilPauseNanos[running] -= worked;
        }
    }

    /** Work that the task has done on this CPU by {@code now}. */
    long workedBy(int cpu, long now) {
        long elapsed = Math.max(0, now - sinceNanos[cpu]);
        return workedNanos[cpu] + (variable ? elapsed * speed.of(cpu) / CpuSpeed.FULL : elapsed);
    }

    /** The task goes on now, after an interruption. */
    void resume(int cpu) {
        sinceNanos[cpu] = Math.max(time.nanoTime(), sinceNanos[cpu]);
        arm(cpu);
    }

    /** Sets the CPU's event to the next point of its task. */
    void arm(int cpu) {
        events.cpuAt(cpu, nextPoint(cpu));
    }

    /** The CPU has begun or ended a task: where speeds depend on who else is busy, others' points move. */
    void speedChanges(int cpu, boolean busy) {
        isRunning[cpu] = busy;
        if (!variable) {
            return;
        }
        long now = time.nanoTime();
        boolean all = speed.set(cpu, busy);
        for (int other = 0; other < isRunning.length; other++) {
            if (all || other >> 1 == cpu >> 1) {
                if (isRunning[other] && other != cpu) {
                    if (events.cpuDue(other) <= now) {
                        continue; // it comes to its point before the change
                    }
                    book(other, Math.max(now, sinceNanos[other]));
                    speed.refresh(other);
                    arm(other);
                } else {
                    speed.refresh(other);
                }
            }
        }
    }

    boolean isSliceOver(int cpu, long now) {
        return now >= sliceEndNanos[cpu];
    }

    void noSlice(int cpu) {
        sliceEndNanos[cpu] = EventTree.NEVER;
    }

    void sliceEndsAt(int cpu, long nanos) {
        sliceEndNanos[cpu] = nanos;
    }

    /** Whether the timer ticks now; if so, the next tick is set. */
    boolean tick(int cpu, long now) {
        if (now < nextTickNanos[cpu]) {
            return false;
        }
        nextTickNanos[cpu] = now + tickNanos;
        return true;
    }

    /** When the task will have done its work, comes to its pause, or its slice ends or the timer ticks. */
    private long nextPoint(int cpu) {
        int running = task[cpu];
        long work = Math.min(tasks.remainingNanos[running], tasks.untilPauseNanos[running]);
        long done = EventTree.NEVER;
        if (work != Long.MAX_VALUE) {
            long takes = variable ? (work * CpuSpeed.FULL + speed.of(cpu) - 1) / speed.of(cpu) : work;
            done = sinceNanos[cpu] + takes;
        }
        long slice = Math.max(sinceNanos[cpu], sliceEndNanos[cpu]);
        return Math.min(done, Math.min(slice, Math.max(sinceNanos[cpu], nextTickNanos[cpu])));
    }
}
