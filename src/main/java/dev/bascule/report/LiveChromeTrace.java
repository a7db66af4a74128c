package dev.bascule.report;

import dev.bascule.agent.Outcome;
import dev.bascule.host.LiveTrace;
import dev.bascule.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Locale;
import java.util.Map;

/**
 * Writes traces of live hosts in the format that Perfetto and Chrome's tracing page read: per transport the wake-ups of tasks,
 * with an arrow to the run that each led to, the CPUs with what ran on them, the agent with what it decided, and the link with each decision's journey from observation to
 * enforcement (they may overlap) and the host's commits and interrupts of each millisecond. Times start at the oldest
 * record.
 */
public final class LiveChromeTrace implements LiveTrace.Reader {
    private static final int CPUS = 1;
    private static final int AGENT = 2;
    private static final int LINK = 3;
    private static final int WAKES = 4;
    /** How long a wake-up is drawn, ns, unless the next one comes before: it has no length of its own. */
    private static final long WAKE_NANOS = 1_000;
    private static final int PROCESSES = 10;

    private final TraceEvents out;
    private final int first;
    private final long base;
    private final WakeFlows flows;
    private int knownCpus;
    private long journeys;
    private long commits = -1;
    private long interrupts;

    private LiveChromeTrace(TraceEvents out, int first, long base, WakeFlows flows) {
        this.flows = flows;
        this.out = out;
        this.first = first;
        this.base = base;
    }

    /** Writes the traces, by the names of their transports; the writer stays open. */
    public static void write(Map<String, LiveTrace> traces, Writer to) throws IOException {
        long[] base = { Long.MAX_VALUE };
        long overwritten = 0;
        for (LiveTrace trace : traces.values()) {
            trace.read(new Oldest(base));
            overwritten += trace.overwritten();
        }
        TraceEvents out = new TraceEvents(to,
                Json.object().put("simulated", "false").put("olderRecordsLeftOut", overwritten));
        int number = 0;
        WakeFlows flows = new WakeFlows();
        try {
            for (Map.Entry<String, LiveTrace> trace : traces.entrySet()) {
                LiveChromeTrace one = new LiveChromeTrace(out, number++ * PROCESSES, base[0], flows);
                out.processName(one.first + WAKES, trace.getKey() + ": wake-ups");
                out.processName(one.first + CPUS, trace.getKey() + ": CPUs");
                out.processName(one.first + AGENT, trace.getKey() + ": agent");
                out.processName(one.first + LINK, trace.getKey() + ": link");
                trace.getValue().read(one);
                one.drawWakes();
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        out.end();
    }

    private interface Step {
        void write() throws IOException;
    }

    private static void run(Step step) {
        try {
            step.write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void woke(long atNanos, int task) {
        flows.woke(atNanos, task);
    }

    private void drawWakes() {
        flows.each((atNanos, nextNanos, task) -> run(() -> {
            long at = atNanos - base;
            out.slice(first + WAKES, 0, "wakes task " + task, at,
                    at + Math.clamp(nextNanos - atNanos, 1, WAKE_NANOS));
        }), (id, atNanos, cpu, ranNanos) -> run(
                () -> out.flow("wake-up", id, first + WAKES, 0, atNanos - base, first + CPUS, cpu, ranNanos - base)));
    }

    @Override
    public void ran(int cpu, int task, long fromNanos, long nanos, boolean preempted) {
        flows.ran(cpu, task, fromNanos);
        run(() -> {
            for (; knownCpus <= cpu; knownCpus++) {
                out.trackName(first + CPUS, knownCpus, "CPU " + knownCpus);
            }
            long from = fromNanos - base;
            out.slice(first + CPUS, cpu, "task " + task + (preempted ? " preempted" : " done"), from, from + nanos);
        });
    }

    @Override
    public void decided(int cpu, int task, Outcome outcome, long observedNanos, long settledNanos) {
        run(() -> {
            String what = "task " + task + " on CPU " + cpu;
            String became = outcome == Outcome.COMPLETE ? "" : " " + outcome.name().toLowerCase(Locale.ROOT);
            out.instant(first + AGENT, 0, "decides " + what, observedNanos - base);
            out.journey(first + LINK, cpu, what + became, ++journeys, observedNanos - base, settledNanos - base);
        });
    }

    @Override
    public void crossed(long atNanos, long allCommits, long allInterrupts) {
        if (commits >= 0) {
            run(() -> out.counters(first + LINK, "of the host", atNanos - base, Json.object()
                    .put("commits", allCommits - commits).put("interrupts", allInterrupts - interrupts)));
        }
        commits = allCommits;
        interrupts = allInterrupts;
    }

    @Override
    public void agent(long atNanos, boolean isReady) {
        run(() -> out.instant(first + AGENT, 0, isReady ? "ready" : "fenced", atNanos - base));
    }

    /** The time of the oldest record. */
    private record Oldest(long[] found) implements LiveTrace.Reader {
        private void at(long nanos) {
            found[0] = Math.min(found[0], nanos);
        }

        @Override
        public void woke(long atNanos, int task) {
            at(atNanos);
        }

        @Override
        public void ran(int cpu, int task, long fromNanos, long nanos, boolean preempted) {
            at(fromNanos);
        }

        @Override
        public void decided(int cpu, int task, Outcome outcome, long observedNanos, long settledNanos) {
            at(observedNanos);
        }

        @Override
        public void crossed(long atNanos, long commits, long interrupts) {
            at(atNanos);
        }

        @Override
        public void agent(long atNanos, boolean isReady) {
            at(atNanos);
        }
    }
}
