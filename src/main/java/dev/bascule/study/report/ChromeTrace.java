package dev.bascule.study.report;

import dev.bascule.agent.Topology;
import dev.bascule.json.Json;
import dev.bascule.report.TraceEvents;
import dev.bascule.study.sim.SimTrace;
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

    private final TraceEvents out;

    private ChromeTrace(TraceEvents out) {
        this.out = out;
    }

    /** Writes the whole trace; the writer stays open. */
    public static void write(SimTrace trace, Topology topology, Writer out) throws IOException {
        new ChromeTrace(new TraceEvents(out, Json.object().put("simulated", "true"))).all(trace, topology);
    }

    private void all(SimTrace trace, Topology topology) throws IOException {
        out.processName(CPUS, "CPUs (simulated)");
        out.processName(AGENT, "agent (simulated)");
        if (trace.isDetailed()) {
            out.processName(LINK, "link (simulated)");
        }
        int cpus = topology.cpus();
        for (int cpu = 0; cpu < cpus; cpu++) {
            String socket = topology.sockets() == 1 ? "" : ", socket " + topology.socketOf(cpu);
            out.trackName(CPUS, cpu, "CPU " + cpu + socket);
        }
        long[] since = new long[cpus];
        int[] task = new int[cpus];
        Arrays.fill(since, -1);
        for (int i = 0; i < trace.size(); i++) {
            event(trace, i, since, task);
        }
        out.end();
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
                    out.slice(CPUS, cpu, "task " + task[cpu] + " " + trace.kind(i).name().toLowerCase(Locale.ROOT),
                            since[cpu],
                            trace.nanos(i));
                    since[cpu] = -1;
                }
            }
            case ARRIVES -> out.instant(AGENT, 0, "task " + trace.task(i) + " arrives", trace.nanos(i));
            case CROSSES -> out.instant(CPUS, cpu,
                    "task " + trace.task(i) + " comes from socket " + (trace.argument(i) >> 8), trace.nanos(i));
            case REFUSED -> out.instant(CPUS, cpu, "task " + trace.task(i) + " refused", trace.nanos(i));
            case ROUND -> out.slice(AGENT, cpu, "round, work " + trace.argument(i), trace.nanos(i) - trace.task(i),
                    trace.nanos(i));
            case LINK -> crossed(cpu, trace.task(i), trace.argument(i), trace.nanos(i));
            case FENCED -> out.instant(AGENT, 0, "fenced", trace.nanos(i));
            case READY -> out.instant(AGENT, 0, "ready", trace.nanos(i));
            default -> {
                // not drawn
            }
        }
    }

    private void crossed(int host, int nic, int interrupts, long at) throws IOException {
        out.counters(LINK, "transactions", at,
                Json.object().put("host", host).put("nic", nic).put("interrupts", interrupts));
    }
}
