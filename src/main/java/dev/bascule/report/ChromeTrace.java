package dev.bascule.report;

import dev.bascule.host.sim.SimTrace;
import java.io.IOException;
import java.io.Writer;
import java.util.Arrays;
import java.util.Locale;

/**
 * Writes a trace of the simulated host in the format that Perfetto and Chrome's tracing page read: CPUs and
 * agents as tracks, runs and rounds as slices, arrivals and refusals as instants, what crosses the link as counters. Rounds
 * and link need a {@linkplain SimTrace#detailed detailed} trace. Source: Trace Event Format, JSON array form.
 */
public final class ChromeTrace {
    private static final int CPUS = 1;
    private static final int AGENT = 2;
    private static final int LINK = 3;

    private final Writer out;
    private boolean first = true;

    private ChromeTrace(Writer out) {
        this.out = out;
    }

    /** Writes the whole trace; the writer stays open. */
    public static void write(SimTrace trace, int cpus, Writer out) throws IOException {
        new ChromeTrace(out).all(trace, cpus);
    }

    private void all(SimTrace trace, int cpus) throws IOException {
        out.write("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"simulated\":\"true\"},\"traceEvents\":[");
        name(CPUS, 0, "process_name", "CPUs (simulated)");
        name(AGENT, 0, "process_name", "agent (simulated)");
        if (trace.isDetailed()) {
            name(LINK, 0, "process_name", "link (simulated)");
        }
        for (int cpu = 0; cpu < cpus; cpu++) {
            name(CPUS, cpu, "thread_name", "CPU " + cpu);
        }
        long[] since = new long[cpus];
        int[] task = new int[cpus];
        Arrays.fill(since, -1);
        for (int i = 0; i < trace.size(); i++) {
            event(trace, i, since, task);
        }
        out.write("\n]}\n");
    }

    private void event(SimTrace trace, int i, long[] since, int[] task) throws IOException {
        int cpu = trace.cpu(i);
        switch (trace.kind(i)) {
            case RUNS -> {
                since[cpu] = trace.nanos(i);
                task[cpu] = trace.task(i);
            }
            case DONE, BLOCKS, YIELDS, SLICE_OVER, PREEMPTED -> {
                if (since[cpu] >= 0) {
                    slice(CPUS, cpu, "task " + task[cpu] + " " + trace.kind(i).name().toLowerCase(Locale.ROOT),
                            since[cpu],
                            trace.nanos(i));
                    since[cpu] = -1;
                }
            }
            case ARRIVES -> instant(AGENT, 0, "task " + trace.task(i) + " arrives", trace.nanos(i));
            case REFUSED -> instant(CPUS, cpu, "task " + trace.task(i) + " refused", trace.nanos(i));
            case ROUND -> slice(AGENT, cpu, "round, work " + trace.argument(i), trace.nanos(i) - trace.task(i),
                    trace.nanos(i));
            case LINK -> crossed(cpu, trace.task(i), trace.argument(i), trace.nanos(i));
            case FENCED -> instant(AGENT, 0, "fenced", trace.nanos(i));
            case READY -> instant(AGENT, 0, "ready", trace.nanos(i));
            default -> {
                // not drawn
            }
        }
    }

    private void next() throws IOException {
        out.write(first ? "\n" : ",\n");
        first = false;
    }

    private void name(int process, int thread, String what, String name) throws IOException {
        next();
        out.write(Json.object().put("ph", "M").put("pid", process).put("tid", thread).put("name", what)
                .put("args", Json.object().put("name", name)).toString());
    }

    private void crossed(int host, int nic, int interrupts, long at) throws IOException {
        next();
        out.write(Json.object().put("ph", "C").put("pid", LINK).put("tid", 0).put("name", "transactions")
                .put("ts", at / 1e3).put("args", Json.object().put("host", host).put("nic", nic)
                        .put("interrupts", interrupts))
                .toString());
    }

    private void slice(int process, int track, String name, long from, long to) throws IOException {
        next();
        out.write(Json.object().put("ph", "X").put("pid", process).put("tid", track).put("name", name)
                .put("ts", from / 1e3).put("dur", Math.max(0, to - from) / 1e3).toString());
    }

    private void instant(int process, int thread, String name, long at) throws IOException {
        next();
        out.write(Json.object().put("ph", "i").put("s", "t").put("pid", process).put("tid", thread).put("name", name)
                .put("ts", at / 1e3).toString());
    }
}
