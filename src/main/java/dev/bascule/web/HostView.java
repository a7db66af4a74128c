package dev.bascule.web;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.Outcome;
import dev.bascule.host.Counter;
import dev.bascule.host.CounterReader;
import dev.bascule.host.Distribution;
import dev.bascule.host.LiveTrace;
import dev.bascule.json.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * View of a host's run directory: its counters, distributions and incidents, and of a host that keeps a trace what ran
 * last on its CPUs. The values of the last {@link #look} stay when host and directory are gone. Not thread-safe.
 */
final class HostView implements AutoCloseable {
    /** Runs of a CPU that are shown. */
    private static final int RUNS = 500;
    /** How much of the past its CPUs' timeline shows. */
    static final long TIMELINE_NANOS = 4_000_000;

    private final CounterReader reader;
    private final Path directory;
    private final @Nullable LiveTrace trace;
    private final String name;
    private final long pid;
    private final long[] counters = new long[Counter.values().length];
    private final long[][] counts = new long[Distribution.values().length][Distribution.BOUNDS + 1];
    private final long[] sums = new long[Distribution.values().length];
    private List<Incidents.Incident> incidents = List.of();
    private List<List<Run>> runs = List.of();
    private long rightNanos;
    private long agoNanos;
    private double seconds;
    private boolean ended;

    private record Run(int task, long fromNanos, long nanos, boolean preempted) {}

    private HostView(CounterReader reader, Path directory, @Nullable LiveTrace trace) {
        this.reader = reader;
        this.directory = directory;
        this.trace = trace;
        name = reader.name().isEmpty() ? "host" : reader.name();
        pid = reader.pid();
    }

    /** @throws AgentException if there is no host, or one of another user */
    static HostView open(Path directory) {
        CounterReader reader = CounterReader.open(directory);
        try {
            HostView view = new HostView(reader, directory,
                    LiveTrace.open(directory, (int) reader.get(Counter.CPUS)));
            view.look();
            return view;
        } catch (RuntimeException | Error e) {
            reader.close();
            throw e;
        }
    }

    /** Whether this is the host that counts in {@code other}. */
    boolean isOf(CounterReader other) {
        return !ended && other.pid() == reader.pid() && other.startMillis() == reader.startMillis()
                && other.name().equals(reader.name());
    }

    /** Reads everything anew, unless it has {@linkplain #end ended}. */
    void look() {
        if (ended) {
            return;
        }
        for (Counter counter : Counter.values()) {
            counters[counter.ordinal()] = reader.get(counter);
        }
        for (Distribution distribution : Distribution.values()) {
            long[] into = counts[distribution.ordinal()];
            for (int i = 0; i < into.length; i++) {
                into[i] = reader.get(distribution, i);
            }
            sums[distribution.ordinal()] = reader.sumNanos(distribution);
        }
        seconds = Math.max(0, System.currentTimeMillis() - reader.startMillis()) / 1e3;
        List<Incidents.Incident> said = Incidents.read(directory);
        incidents = said.size() < incidents.size() ? incidents : said; // the directory goes before its reader
        if (trace != null) {
            lookAtRuns(trace);
        }
    }

    private void lookAtRuns(LiveTrace from) {
        List<List<Run>> all = new ArrayList<>();
        for (long cpu = 0; cpu < value(Counter.CPUS); cpu++) {
            all.add(new ArrayList<>());
        }
        from.newest(RUNS, new LiveTrace.Reader() {
            @Override
            public void ran(int cpu, int task, long fromNanos, long nanos, boolean preempted) {
                all.get(cpu).add(new Run(task, fromNanos, nanos, preempted));
            }

            @Override
            public void decided(int cpu, int task, Outcome outcome, long observedNanos, long settledNanos) {}

            @Override
            public void crossed(long atNanos, long commits, long interrupts) {}

            @Override
            public void agent(long atNanos, boolean isReady) {}
        });
        alignTimeline(all);
        runs = all;
    }

    /** The right edge is now, or the end of the last run if nothing has run since. */
    private void alignTimeline(List<List<Run>> all) {
        long now = System.nanoTime();
        long last = all.stream().flatMap(List::stream).mapToLong(run -> run.fromNanos + run.nanos).max().orElse(now);
        agoNanos = now - last < TIMELINE_NANOS ? 0 : now - last;
        rightNanos = now - agoNanos;
        for (List<Run> cpu : all) {
            cpu.removeIf(run -> rightNanos - (run.fromNanos + run.nanos) > TIMELINE_NANOS);
        }
    }

    /** The host's end: its last values stay, but what waited and who was ready is no more. */
    void end() {
        if (!ended) {
            look();
            ended = true;
            for (Counter gauge : List.of(Counter.TASKS_RUNNABLE, Counter.REQUESTS_WAITING, Counter.AGENT_READY)) {
                counters[gauge.ordinal()] = 0;
            }
            close();
        }
    }

    boolean isWriterAlive() {
        return !ended && reader.isWriterAlive();
    }

    String name() {
        return name;
    }

    long value(Counter counter) {
        return counters[counter.ordinal()];
    }

    long[] counts(Distribution distribution) {
        return counts[distribution.ordinal()];
    }

    long sumNanos(Distribution distribution) {
        return sums[distribution.ordinal()];
    }

    int incidentCount() {
        return incidents.size();
    }

    /** For the page's script. Times of the timeline: us from its left edge. */
    Json.Obj json() {
        Json.Obj values = Json.object();
        for (Counter counter : Counter.values()) {
            values.put(Json.key(counter.name()), value(counter));
        }
        Json.Arr said = Json.array(incidents.subList(Math.max(0, incidents.size() - 50), incidents.size()),
                one -> Json.object().put("at", one.atMillis()).put("text", one.text()));
        return Json.object().put("name", name).put("pid", pid).put("directory", directory.toString())
                .put("seconds", seconds).put("ended", ended).put("counters", values)
                .put("latency", array(counts(Distribution.REQUEST_LATENCY)))
                .put("window", array(counts(Distribution.DECISION_WINDOW)))
                .put("incidentCount", incidents.size()).put("incidents", said)
                .put("traced", trace != null).put("timelineMicros", TIMELINE_NANOS / 1e3)
                .put("timelineAgoMicros", agoNanos / 1e3).put("runs", timeline());
    }

    private Json.Arr timeline() {
        Json.Arr cpus = Json.array();
        long left = rightNanos - TIMELINE_NANOS;
        for (List<Run> cpu : runs) {
            Json.Arr flat = Json.array();
            for (Run run : cpu) {
                flat.add(run.task).add((run.fromNanos - left) / 1_000).add(Math.max(1, run.nanos / 1_000))
                        .add(run.preempted ? 1 : 0);
            }
            cpus.add(Json.object().put("runs", flat));
        }
        return cpus;
    }

    private static Json.Arr array(long[] numbers) {
        Json.Arr array = Json.array();
        Arrays.stream(numbers).forEach(array::add);
        return array;
    }

    @Override
    public void close() {
        reader.close();
        if (trace != null) {
            trace.close();
        }
    }
}
