package dev.bascule.study.sim;

import java.util.ArrayList;
import java.util.List;

/** Reads a trace and says of a task why it waited and why it was taken off its CPU. */
public final class SimExplanation {
    private final SimTrace trace;
    private final int cpus;
    private final int task;
    private final List<String> lines = new ArrayList<>();
    private final boolean[] busy;
    private int running;
    private long since = -1;
    private long allBusyNanos;
    private long lastNanos;
    private int refusals;
    private int from = -1;

    private SimExplanation(SimTrace trace, int cpus, int task) {
        this.trace = trace;
        this.cpus = cpus;
        this.task = task;
        busy = new boolean[cpus];
    }

    /** One line for each wait, start and end of the task. */
    public static List<String> of(SimTrace trace, int cpus, int task) {
        SimExplanation explanation = new SimExplanation(trace, cpus, task);
        for (int event = 0; event < trace.size(); event++) {
            explanation.event(event);
        }
        return explanation.lines;
    }

    private void event(int event) {
        long now = trace.nanos(event);
        if (since >= 0 && running == cpus && now > lastNanos) {
            allBusyNanos += now - lastNanos;
        }
        lastNanos = Math.max(lastNanos, now);
        boolean mine = trace.task(event) == task;
        switch (trace.kind(event)) {
            case ARRIVES, WAKES -> {
                if (mine) {
                    waits(now);
                }
            }
            case RUNS -> {
                set(trace.cpu(event), true);
                if (mine) {
                    runs(event, now);
                }
            }
            case DONE, BLOCKS -> left(event, now, mine, false, "done");
            case YIELDS -> left(event, now, mine, true, "gave the CPU back");
            case SLICE_OVER -> left(event, now, mine, true,
                    "preempted: its slice was over and " + trace.argument(event) + " other task(s) waited");
            case PREEMPTED -> left(event, now, mine, true, "preempted: the agent decided for another task at once");
            case CROSSES -> from = mine ? trace.argument(event) >> 8 : from;
            case REFUSED -> refusals += mine ? 1 : 0;
            default -> {
                // of no task
            }
        }
    }

    private void set(int cpu, boolean isBusy) {
        if (cpu < cpus && busy[cpu] != isBusy) {
            busy[cpu] = isBusy;
            running += isBusy ? 1 : -1;
        }
    }

    private void waits(long now) {
        since = now;
        allBusyNanos = 0;
        refusals = 0;
    }

    private void runs(int event, long now) {
        long waited = now - since;
        long other = Math.max(0, waited - allBusyNanos);
        String comes = from < 0
                ? ""
                : " of another socket (it ran on socket " + from + " before, and finds its lines there)";
        from = -1;
        lines.add(now + " ns  runs on CPU " + trace.cpu(event) + comes + ", decided by "
                + (trace.argument(event) == 1 ? "the host's built-in policy" : "the agent") + "; it had waited "
                + waited + " ns: " + Math.min(waited, allBusyNanos) + " ns all CPUs were busy, " + other
                + " ns a CPU was free and the decision on its way, or staged elsewhere"
                + (refusals > 0 ? "; " + refusals + " decision(s) about it were stale" : ""));
        since = -1;
    }

    private void left(int event, long now, boolean mine, boolean runnable, String why) {
        set(trace.cpu(event), false);
        if (mine) {
            lines.add(now + " ns  leaves CPU " + trace.cpu(event) + ", " + why);
            if (runnable) {
                waits(now);
            }
        }
    }
}
