package dev.bascule.study.report;

import dev.bascule.host.TimeHistogram;
import dev.bascule.report.Estimate;
import dev.bascule.report.HistogramBar;
import dev.bascule.report.HistogramChart;
import dev.bascule.report.HtmlPage;
import dev.bascule.report.LineChart;
import dev.bascule.report.Numbers;
import dev.bascule.report.Percentiles;
import dev.bascule.study.sim.SimResult;
import dev.bascule.study.sim.SimTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One run of the simulated host as a page that needs nothing else, or as files: what became of it, how long jobs took, the
 * decision window, and what each CPU did in a stretch of time.
 */
public final class SimReport {
    private static final int BARS_PER_DECADE = 12;
    private static final long STRETCH_NANOS = 300_000;

    private final String what;
    private final List<String> classes;
    private final SimResult result;
    private final SimTrace trace;
    private final List<RepeatedLatency> latencies;
    private final Estimate throughput;

    /**
     * A report.
     *
     * @param what the run in words
     * @param classes names of the classes of jobs, in their order; those without one go by their number
     * @param trace of the run, best {@linkplain SimTrace#detailed detailed}
     */
    public SimReport(String what, List<String> classes, SimResult result, SimTrace trace) {
        this(what, classes, result, trace, List.of(), Estimate.of(List.of(result.throughputPerSecond())));
    }

    private SimReport(String what, List<String> classes, SimResult result, SimTrace trace,
            List<RepeatedLatency> latencies, Estimate throughput) {
        this.what = what;
        this.classes = List.copyOf(classes);
        this.result = result;
        this.trace = trace;
        this.latencies = List.copyOf(latencies);
        this.throughput = throughput;
    }

    /** With figures of several runs, of which the drawings show the first. */
    public SimReport withRepeats(List<RepeatedLatency> ofRuns, Estimate perSecond) {
        return new SimReport(what, classes, result, trace, ofRuns, perSecond);
    }

    /** The page. */
    public String html() {
        HtmlPage page = new HtmlPage("Simulated run").tag("p", what).honesty("Simulated",
                "Every time here is virtual and follows from the cost profile; nothing was measured on hardware.");
        table(page);
        section(page, "Jobs that took longer", "For each class of jobs, the share that took longer than a time.",
                tail());
        section(page, "Decision window", "From observation to enforcement of decisions that took effect.", window());
        page.tag("h2", "Timeline").tag("p",
                "What CPUs and agents did in a stretch of time. Second colour: decided by the host itself.")
                .broadFigure(timeline());
        return page.end();
    }

    private static void section(HtmlPage page, String title, String text, String drawing) {
        page.tag("h2", title).tag("p", text).figure("", drawing);
    }

    private void table(HtmlPage page) {
        intervals(page);
        page.raw("<div class=\"wide\"><table>\n<tbody>\n");
        row(page, "jobs done", "", result.jobs().finished());
        row(page, "throughput", "1/s", result.throughputPerSecond());
        row(page, "decisions in force", "", result.decisions().complete());
        row(page, "refused as stale", "", result.decisions().stale());
        row(page, "preemptions", "", result.decisions().preemptions());
        if (result.topology().sockets() > 1) {
            row(page, "starts on another socket than before", "", result.decisions().crossings());
        }
        row(page, "decided by the host itself", "", result.decisions().local());
        row(page, "CPUs busy with work", "%", result.utilisation() * 100);
        if (!result.residents().isEmpty()) {
            row(page, "of that residents", "%", result.residentShare(0, result.residents().size()) * 100);
        }
        row(page, "agent busy", "%", result.time().agentBusy() * 100.0 / Math.max(1, result.lastNanos()));
        row(page, "reads of the host over the link", "", result.bus().hostReads());
        row(page, "posted writes of the host", "", result.bus().hostWrites());
        row(page, "incidents", "", result.incidents().size());
        page.endTable();
        if (result.isOverloaded()) {
            page.paragraph("verdict bad", "Overloaded: more was offered than could be done.");
        }
        result.incidents().forEach(incident -> page.tag("p", incident));
    }

    /** Latency over all runs; the table that follows is of the run that is drawn. */
    private void intervals(HtmlPage page) {
        page.tag("p", "Throughput " + throughput.text() + " per second. Means of " + throughput.repeats()
                + " runs with seeds of their own, with 95 % intervals (Student's t); what is drawn is the first of them.")
                .table("<th>latency (µs)</th><th>jobs</th><th>mean</th><th>p50</th><th>p99</th><th>p99.9</th>");
        for (RepeatedLatency kind : latencies) {
            page.raw("<tr>").cell("td", "", kind.name()).cell("td", "number", Numbers.count(kind.jobs()));
            kind.cells().forEach(cell -> page.cell("td", "number", cell));
            page.raw("</tr>\n");
        }
        page.endTable();
    }

    private static void row(HtmlPage page, String name, String unit, double value) {
        page.raw("<tr>").cell("td", "", name).cell("td", "unit", unit)
                .cell("td", "number",
                        String.format(Locale.ROOT, value == Math.rint(value) ? "%,.0f" : "%,.2f", value))
                .raw("</tr>\n");
    }

    private String tail() {
        LineChart chart = new LineChart("jobs that took longer", "latency (µs)", "share of jobs (%, log scale)");
        for (int c = 0; c < result.sojourn().size(); c++) {
            TimeHistogram times = result.sojourn().get(c);
            List<LineChart.Point> points = new ArrayList<>();
            long[] seen = new long[1];
            double[] drawn = { 200 };
            times.buckets((low, high, number) -> {
                seen[0] += number;
                double share = (times.count() - seen[0]) * 100.0 / times.count();
                if (share > 0 && share <= drawn[0] * 0.93) {
                    points.add(new LineChart.Point(high / 1e3, share, false));
                    drawn[0] = share;
                }
            });
            chart.add(name(c), c % 4, c % 4, points);
        }
        return chart.render();
    }

    private String name(int ofClass) {
        return ofClass < classes.size() ? classes.get(ofClass) : "class " + ofClass;
    }

    private String window() {
        TimeHistogram times = result.window();
        List<HistogramBar> bars = HistogramBar.of(times, BARS_PER_DECADE);
        return new HistogramChart(List.of(bars), "decision window (µs, log scale)").render("decision window", 0, bars,
                new Percentiles(times.count(), times.percentile(50) / 1e3, times.percentile(99) / 1e3,
                        times.percentile(99.9) / 1e3, times.max() / 1e3));
    }

    private String timeline() {
        long from = result.lastNanos() / 20;
        long length = Math.min(STRETCH_NANOS, Math.max(1, result.lastNanos() - from));
        return new Timeline(trace, result.cpus(), from, from + length).render();
    }

    /**
     * Writes the drawings as SVG and the figures behind them as CSV.
     *
     * @return the files
     */
    public List<Path> files(Path folder) throws IOException {
        Files.createDirectories(folder);
        StringBuilder latency = new StringBuilder("class,from_ns,to_ns,jobs\n");
        for (int c = 0; c < result.sojourn().size(); c++) {
            csv(latency, name(c) + ",", result.sojourn().get(c));
        }
        StringBuilder window = new StringBuilder("from_ns,to_ns,decisions\n");
        csv(window, "", result.window());
        List<Path> files = new ArrayList<>();
        files.add(Files.writeString(folder.resolve("latency.svg"), Plot.standalone(tail())));
        files.add(Files.writeString(folder.resolve("window.svg"), Plot.standalone(window())));
        files.add(Files.writeString(folder.resolve("timeline.svg"), Plot.standalone(timeline())));
        files.add(Files.writeString(folder.resolve("latency.csv"), latency));
        files.add(Files.writeString(folder.resolve("window.csv"), window));
        return files;
    }

    private static void csv(StringBuilder out, String prefix, TimeHistogram times) {
        times.buckets((low, high, number) -> out.append(prefix).append(low).append(',').append(high).append(',')
                .append(number).append('\n'));
    }
}
