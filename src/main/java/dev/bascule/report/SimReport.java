package dev.bascule.report;

import dev.bascule.host.sim.SimResult;
import dev.bascule.host.sim.SimTrace;
import dev.bascule.host.sim.TimeHistogram;
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
    private final SimResult result;
    private final SimTrace trace;

    /**
     * A report.
     *
     * @param what the run in words
     * @param trace of the run, best {@linkplain SimTrace#detailed detailed}
     */
    public SimReport(String what, SimResult result, SimTrace trace) {
        this.what = what;
        this.result = result;
        this.trace = trace;
    }

    /** The page. */
    public String html() {
        StringBuilder out = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                + "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Simulated run</title>\n<style>\n");
        out.append(HtmlStyle.CSS).append("</style>\n</head>\n<body>\n<main>\n<h1>Simulated run</h1>\n<p>")
                .append(Svg.escape(what))
                .append("</p>\n<p class=\"honesty\"><strong>Simulated</strong> Every time here is"
                        + " virtual and follows from the cost profile; nothing was measured on hardware.</p>\n");
        table(out);
        section(out, "Jobs that took longer", "For each class of jobs, the share that took longer than a time.",
                tail());
        section(out, "Decision window", "From observation to enforcement of decisions that took effect.", window());
        section(out, "Timeline",
                "What CPUs and agents did in a stretch of time. Second colour: decided by the host itself.",
                timeline());
        return out.append("</main>\n</body>\n</html>\n").toString();
    }

    private static void section(StringBuilder out, String title, String text, String drawing) {
        out.append("<h2>").append(title).append("</h2>\n<p>").append(text).append("</p>\n<figure>\n").append(drawing)
                .append("</figure>\n");
    }

    private void table(StringBuilder out) {
        TimeHistogram all = result.allSojourns();
        out.append("<div class=\"wide\"><table>\n<tbody>\n");
        row(out, "jobs done", "", result.jobs().finished());
        row(out, "throughput", "1/s", result.throughputPerSecond());
        row(out, "latency p50", "µs", all.percentile(50) / 1e3);
        row(out, "latency p99", "µs", all.percentile(99) / 1e3);
        row(out, "latency p99.9", "µs", all.percentile(99.9) / 1e3);
        row(out, "decisions in force", "", result.decisions().complete());
        row(out, "refused as stale", "", result.decisions().stale());
        row(out, "preemptions", "", result.decisions().preemptions());
        if (result.topology().sockets() > 1) {
            row(out, "starts on another socket than before", "", result.decisions().crossings());
        }
        row(out, "decided by the host itself", "", result.decisions().local());
        row(out, "CPUs busy with work", "%", result.utilisation() * 100);
        row(out, "agent busy", "%", result.time().agentBusy() * 100.0 / Math.max(1, result.lastNanos()));
        row(out, "reads of the host over the link", "", result.bus().hostReads());
        row(out, "posted writes of the host", "", result.bus().hostWrites());
        row(out, "incidents", "", result.incidents().size());
        out.append("</tbody></table></div>\n");
        if (result.isOverloaded()) {
            out.append("<p class=\"verdict bad\">Overloaded: more was offered than could be done.</p>\n");
        }
        result.incidents().forEach(i -> out.append("<p>").append(Svg.escape(i)).append("</p>\n"));
    }

    private static void row(StringBuilder out, String name, String unit, double value) {
        out.append("<tr><td>").append(name).append("</td><td class=\"unit\">").append(unit)
                .append("</td><td class=\"number\">")
                .append(String.format(Locale.ROOT, value == Math.rint(value) ? "%,.0f" : "%,.2f", value))
                .append("</td></tr>\n");
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
            chart.add("class " + c, c % 4, c % 4, points);
        }
        return chart.render();
    }

    private String window() {
        TimeHistogram times = result.window();
        List<Bar> bars = bars(times);
        return new HistogramChart(List.of(bars), "decision window (µs, log scale)").render("decision window", 0, bars,
                new Percentiles(times.count(), times.percentile(50) / 1e3, times.percentile(99) / 1e3,
                        times.percentile(99.9) / 1e3, times.max() / 1e3));
    }

    /** Bars of equal width on a log scale. */
    static List<Bar> bars(TimeHistogram times) {
        List<Bar> bars = new ArrayList<>();
        times.buckets((low, high, number) -> {
            int step = (int) Math.floor(Math.log10(Math.max(1, high)) * BARS_PER_DECADE);
            double from = Math.pow(10, (double) step / BARS_PER_DECADE) / 1e3;
            Bar last = bars.isEmpty() ? null : bars.getLast();
            if (last != null && last.fromMicros() == from) {
                bars.set(bars.size() - 1, new Bar(from, last.toMicros(), last.count() + number));
            } else {
                bars.add(new Bar(from, Math.pow(10, (step + 1.0) / BARS_PER_DECADE) / 1e3, number));
            }
        });
        return bars;
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
            csv(latency, c + ",", result.sojourn().get(c));
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
