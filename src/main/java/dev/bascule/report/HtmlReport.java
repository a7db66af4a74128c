package dev.bascule.report;

import dev.bascule.config.Constant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** The report as one HTML file that needs nothing else: no network, no script. */
public final class HtmlReport {
    private static final String X_LABEL = "offered load (1,000 requests/s)";
    private static final String Y_LABEL = "latency (µs, log scale)";

    private final RunReport report;
    private final StringBuilder out = new StringBuilder();

    private HtmlReport(RunReport report) {
        this.report = report;
    }

    /** The whole page. */
    public static String of(RunReport report) {
        return new HtmlReport(report).page();
    }

    private String page() {
        out.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .append("<meta name=\"color-scheme\" content=\"light dark\">\n<title>")
                .append(Svg.escape(report.title()))
                .append("</title>\n<style>\n").append(HtmlStyle.CSS).append("</style>\n</head>\n<body>\n<main>\n");
        head();
        summary();
        loadCharts();
        windowCharts();
        method();
        return out.append("</main>\n</body>\n</html>\n").toString();
    }

    private void head() {
        tag("h1", report.title());
        tag("p", report.workload());
        out.append("<dl>\n");
        for (RunResult result : report.results()) {
            int colour = report.results().indexOf(result);
            out.append("<dt><span class=\"swatch b").append(colour % 4).append("\"></span>")
                    .append(Svg.escape(result.transport())).append(isReference(result) ? " (reference)" : "")
                    .append("</dt>");
            tag("dd", result.description());
        }
        out.append("</dl>\n");
        boolean clean = report.results().stream().allMatch(r -> r.requests().isClean());
        out.append("<p class=\"verdict ").append(clean ? "good" : "bad").append("\">")
                .append(Svg.escape(TextReport.verdict(report))).append("</p>\n");
        out.append("<p class=\"honesty\"><strong>").append(report.config().link().isZero() ? "Measured" : "Simulated")
                .append("</strong> ").append(Svg.escape(report.honesty())).append("</p>\n");
    }

    private boolean isReference(RunResult result) {
        return result.transport().equals(report.reference());
    }

    private void summary() {
        tag("h2", "Summary");
        out.append("<div class=\"wide\"><table>\n<thead><tr><th></th><th>unit</th>");
        report.results().forEach(r -> cell("th", "number", r.transport()));
        List<RunResult> others = report.results().stream()
                .filter(r -> report.referenceResult().isPresent() && !isReference(r)).toList();
        others.forEach(r -> cell("th", "number", r.transport() + " / " + report.reference()));
        out.append("</tr></thead>\n<tbody>\n");
        String group = "";
        for (Metric metric : Metric.ALL) {
            if (!metric.group().equals(group)) {
                group = metric.group();
                out.append("<tr class=\"group\"><th colspan=\"").append(2 + report.results().size() + others.size())
                        .append("\">").append(group).append("</th></tr>\n");
            }
            out.append("<tr>");
            cell("td", "", metric.label());
            cell("td", "unit", metric.unit().replace("us", "µs"));
            report.results().forEach(r -> cell("td", "number", metric.print(r)));
            others.forEach(r -> cell("td", "number ratio",
                    metric.printRatio(r, report.referenceResult().orElseThrow())));
            out.append("</tr>\n");
        }
        out.append("</tbody></table></div>\n");
        tag("p", "Latency runs from the moment a request was meant to arrive to its answer, so waiting because the"
                + " service was behind counts. The decision window runs from the agent seeing the state (T1) to the"
                + " host acting on the decision (T3); what changes in between makes a decision stale, and the host"
                + " refuses it. A dash: does not exist there, or was not measured.");
    }

    private void loadCharts() {
        tag("h2", "Latency against load");
        boolean hollow = report.results().stream().flatMap(r -> r.curve().stream()).anyMatch(LoadPoint::isSaturated);
        tag("p", "Lower is better; a line that turns up shows where the service cannot keep up."
                + (hollow ? " Hollow markers: less than 95 % of the load was answered while it came." : "")
                + (report.results().size() > 1 ? " The charts of the single transports have the same scales." : ""));
        out.append("<div class=\"charts\">\n");
        comparison("All transports, p99", p -> p.latency().p99());
        comparison("All transports, p50", p -> p.latency().p50());
        List<LineChart.Point> span = report.results().stream()
                .flatMap(r -> Stream.of(points(r, p -> p.latency().p50()), points(r, p -> p.latency().p999())))
                .flatMap(List::stream).toList();
        for (RunResult result : report.results()) {
            int colour = report.results().indexOf(result) % 4;
            LineChart chart = new LineChart("latency against load, " + result.transport(), X_LABEL, Y_LABEL)
                    .spanning(span);
            chart.add("p50", colour, 0, points(result, p -> p.latency().p50()));
            chart.add("p99", colour, 1, points(result, p -> p.latency().p99()));
            chart.add("p99.9", colour, 2, points(result, p -> p.latency().p999()));
            figure(result.transport(), chart.render());
        }
        out.append("</div>\n");
    }

    private void comparison(String caption, ToDoubleFunction<LoadPoint> percentile) {
        LineChart chart = new LineChart("latency against load: " + caption, X_LABEL, Y_LABEL);
        for (RunResult result : report.results()) {
            int number = report.results().indexOf(result) % 4;
            chart.add(result.transport(), number, number, points(result, percentile));
        }
        figure(caption, chart.render());
    }

    private static List<LineChart.Point> points(RunResult result, ToDoubleFunction<LoadPoint> percentile) {
        return result.curve().stream().map(p -> new LineChart.Point(p.offeredPerSecond() / 1e3,
                percentile.applyAsDouble(p), p.isSaturated())).toList();
    }

    private void windowCharts() {
        tag("h2", "Decision window");
        tag("p", "How long it takes from the agent seeing the state (T1) to the host acting on the decision (T3). All"
                + " charts have the same scales.");
        HistogramChart chart = new HistogramChart(report.results().stream().map(RunResult::windowBars).toList(),
                "observe to enforce (µs, log scale)");
        out.append("<div class=\"charts\">\n");
        for (RunResult result : report.results()) {
            int colour = report.results().indexOf(result) % 4;
            figure(result.transport(), chart.render("decision window, " + result.transport(), colour,
                    result.windowBars(), result.window()));
        }
        out.append("</div>\n");
    }

    private void method() {
        tag("h2", "How this was measured");
        List<String[]> facts = new ArrayList<>();
        facts.add(new String[] { "machine", TextReport.machine(report.machine()) });
        facts.add(new String[] { "started", report.started() });
        facts.add(new String[] { "configuration", report.config().name() + ": " + report.config().description() });
        facts.add(new String[] { "seed", Long.toString(report.seed()) });
        out.append("<div class=\"wide\"><table class=\"facts\">\n");
        facts.forEach(f -> out.append("<tr><th>").append(f[0]).append("</th><td>").append(Svg.escape(f[1]))
                .append("</td></tr>\n"));
        out.append("<tr><th>repeat</th><td><code>").append(Svg.escape(report.command()))
                .append("</code></td></tr>\n</table></div>\n<ul>\n");
        report.notes().forEach(n -> tag("li", n));
        out.append("</ul>\n");
        if (!report.config().link().isZero()) {
            constants();
        }
    }

    private void constants() {
        tag("h3", "Injected latencies");
        out.append("<div class=\"wide\"><table>\n<thead><tr><th>constant</th><th class=\"number\">ns</th>")
                .append("<th>confidence</th><th>source</th></tr></thead>\n<tbody>\n");
        for (Map.Entry<String, Constant> each : report.config().link().byName().entrySet()) {
            Constant c = each.getValue();
            out.append("<tr>");
            cell("td", "", each.getKey());
            cell("td", "number", Long.toString(c.nanos()));
            cell("td", "", c.confidence().word());
            cell("td", "source", c.source());
            out.append("</tr>\n");
        }
        out.append("</tbody></table></div>\n");
    }

    private void figure(String caption, String svg) {
        out.append("<figure>\n<figcaption>").append(Svg.escape(caption)).append("</figcaption>\n").append(svg)
                .append("</figure>\n");
    }

    private void cell(String tag, String style, String text) {
        out.append('<').append(tag).append(style.isEmpty() ? "" : " class=\"" + style + "\"").append('>')
                .append(Svg.escape(text)).append("</").append(tag).append('>');
    }

    private void tag(String tag, String text) {
        cell(tag, "", text);
        out.append('\n');
    }
}
