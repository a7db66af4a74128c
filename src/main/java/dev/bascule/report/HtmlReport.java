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
    private final HtmlPage page;

    private HtmlReport(RunReport report) {
        this.report = report;
        page = new HtmlPage(report.title());
    }

    /** The whole page. */
    public static String of(RunReport report) {
        return new HtmlReport(report).page();
    }

    private String page() {
        head();
        summary();
        loadCharts();
        windowCharts();
        method();
        return page.end();
    }

    private void head() {
        page.tag("p", report.workload()).raw("<dl>\n");
        for (RunResult result : report.results()) {
            int colour = report.results().indexOf(result);
            page.raw("<dt><span class=\"swatch b" + colour % 4 + "\"></span>" + Svg.escape(result.transport())
                    + (isReference(result) ? " (reference)" : "") + "</dt>").tag("dd", result.description());
        }
        page.raw("</dl>\n");
        report.wrong().forEach(line -> page.paragraph("verdict bad", line));
        page.paragraph("verdict" + (report.isRight() ? " good" : ""), TextReport.requestsVerdict(report))
                .honesty(report.config().link().isZero() ? "Measured" : "Simulated", report.honesty());
    }

    private boolean isReference(RunResult result) {
        return result.transport().equals(report.reference());
    }

    private void summary() {
        page.tag("h2", "Summary").raw("<div class=\"wide\"><table>\n<thead><tr><th></th><th>unit</th>");
        report.results().forEach(r -> page.cell("th", "number", r.transport()));
        List<RunResult> others = report.results().stream()
                .filter(r -> report.referenceResult().isPresent() && !isReference(r) && r.isDelegated()).toList();
        others.forEach(r -> page.cell("th", "number", r.transport() + " / " + report.reference()));
        page.raw("</tr></thead>\n<tbody>\n");
        String group = "";
        for (Metric metric : Metric.rows(report)) {
            if (!metric.group().equals(group)) {
                group = metric.group();
                page.raw("<tr class=\"group\"><th colspan=\"" + (2 + report.results().size() + others.size()) + "\">"
                        + group + "</th></tr>\n");
            }
            page.raw("<tr>");
            page.cell("td", "", metric.label());
            page.cell("td", "unit", metric.unit().replace("us", "µs"));
            report.results().forEach(r -> page.cell("td", "number", metric.print(r)));
            others.forEach(r -> page.cell("td", "number ratio",
                    metric.printRatio(r, report.referenceResult().orElseThrow())));
            page.raw("</tr>\n");
        }
        page.endTable();
        if (report.results().stream().anyMatch(RunResult::isSaturatedSomewhere)) {
            page.tag("p", TextReport.SATURATED);
        }
        if (report.repeats() > 1) {
            page.tag("p", report.aboutRepeats());
        }
        report.verdicts().forEach(line -> page.tag("p", line));
        String price = report.priceOfDelegation();
        if (!price.isEmpty()) {
            page.tag("p", price);
        }
        page.tag("p", "Latency runs from the moment a request was meant to arrive to its answer, so waiting because the"
                + " service was behind counts. The decision window runs from the agent seeing the state (T1) to the"
                + " host acting on the decision (T3); what changes in between makes a decision stale, and the host"
                + " refuses it. A dash: does not exist there, or was not measured.");
    }

    private void loadCharts() {
        page.tag("h2", "Latency against load");
        boolean hollow = report.results().stream().flatMap(r -> r.curve().stream()).anyMatch(LoadPoint::isSaturated);
        page.tag("p", "Lower is better; a line that turns up shows where the service cannot keep up."
                + (hollow ? " Hollow markers: saturated, more was offered than could be answered." : "")
                + (report.results().size() > 1 ? " The charts of the single transports have the same scales." : ""));
        page.raw("<div class=\"charts\">\n");
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
            page.figure(result.transport(), chart.render());
        }
        page.raw("</div>\n");
    }

    private void comparison(String caption, ToDoubleFunction<LoadPoint> percentile) {
        LineChart chart = new LineChart("latency against load: " + caption, X_LABEL, Y_LABEL);
        for (RunResult result : report.results()) {
            int number = report.results().indexOf(result) % 4;
            chart.add(result.transport(), number, number, points(result, percentile));
        }
        page.figure(caption, chart.render());
    }

    private static List<LineChart.Point> points(RunResult result, ToDoubleFunction<LoadPoint> percentile) {
        List<LineChart.Point> points = new ArrayList<>();
        for (LoadPoint p : result.curve()) {
            int at = points.size();
            Estimate y = result.repeats().isEmpty()
                    ? Estimate.of(List.of(percentile.applyAsDouble(p)))
                    : Estimate.of(result.repeats().stream().map(one -> percentile.applyAsDouble(one.curve().get(at)))
                            .toList());
            points.add(LineChart.Point.of(p.offeredPerSecond() / 1e3, y, p.isSaturated()));
        }
        return points;
    }

    private void windowCharts() {
        page.tag("h2", "Decision window");
        page.tag("p",
                "How long it takes from the agent seeing the state (T1) to the host acting on the decision (T3). All"
                        + " charts have the same scales.");
        HistogramChart chart = new HistogramChart(report.results().stream().map(RunResult::windowBars).toList(),
                "observe to enforce (µs, log scale)");
        page.raw("<div class=\"charts\">\n");
        for (RunResult result : report.results()) {
            int colour = report.results().indexOf(result) % 4;
            page.figure(result.transport(), chart.render("decision window, " + result.transport(), colour,
                    result.windowBars(), result.window()));
        }
        page.raw("</div>\n");
    }

    private void method() {
        page.tag("h2", "How this was measured");
        page.raw("<div class=\"wide\"><table class=\"facts\">\n");
        fact("machine", TextReport.machine(report.machine()));
        fact("started", report.started());
        fact("configuration", report.config().name() + ": " + report.config().description());
        fact("seed", Long.toString(report.seed()));
        page.raw("<tr><th>repeat</th><td>").cell("code", "", report.command()).raw("</td></tr>\n</table></div>\n")
                .list(report.notes());
        if (!report.config().link().isZero()) {
            constants();
        }
    }

    private void fact(String name, String text) {
        page.raw("<tr>").cell("th", "", name).cell("td", "", text).raw("</tr>\n");
    }

    private void constants() {
        page.tag("h3", "Injected latencies").table(
                "<th>constant</th><th class=\"number\">ns</th><th>confidence</th><th>source</th>");
        for (Map.Entry<String, Constant> each : report.config().link().byName().entrySet()) {
            Constant c = each.getValue();
            page.raw("<tr>");
            page.cell("td", "", each.getKey());
            page.cell("td", "number", Long.toString(c.nanos()));
            page.cell("td", "", c.confidence().word());
            page.cell("td", "source", c.source());
            page.raw("</tr>\n");
        }
        page.endTable();
    }
}
