package dev.bascule.report;

import dev.bascule.config.Constant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
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
        tiles();
        about();
        loadCharts();
        windowCharts();
        summary();
        method();
        return page.end();
    }

    private void head() {
        page.pill(report.isRight(), report.isRight() ? "right" : "wrong");
        report.wrong().forEach(line -> page.paragraph("verdict bad", line));
        page.paragraph("verdict" + (report.isRight() ? " good" : ""), TextReport.requestsVerdict(report));
        report.verdicts().forEach(line -> page.paragraph("verdict", line));
    }

    private void tiles() {
        page.raw("<section class=\"tiles\" aria-label=\"What the run found\">\n");
        requests();
        Map<String, String> latency = new LinkedHashMap<>();
        report.results().forEach(r -> latency.put(r.transport(),
                Metric.MEDIAN.print(r) + " / " + Metric.VERDICT.get(1).print(r)));
        double load = report.results().isEmpty() ? Double.NaN : report.results().getFirst().shown().offeredPerSecond();
        page.tile("Latency, p50 / p99", latency, "µs, at " + Numbers.count(load) + " requests/s");
        Map<String, String> prices = report.prices();
        if (prices.isEmpty()) {
            Map<String, String> windows = new LinkedHashMap<>();
            report.results().forEach(r -> windows.put(r.transport(), Numbers.decimal(r.window().p50())));
            page.tile("Decision window, p50", windows, "µs, from seeing the state to acting on the decision");
        } else {
            page.tile("Price of delegation", prices, "of the median latency with the host's own queue");
        }
        page.raw("</section>\n");
    }

    private void requests() {
        Map<String, String> counts = new LinkedHashMap<>();
        counts.put("answered", total(RunResult.Requests::served));
        counts.put("refused", total(RunResult.Requests::rejected));
        counts.put("lost", total(RunResult.Requests::lost));
        counts.put("run twice", total(RunResult.Requests::duplicated));
        counts.put("answered wrongly", total(RunResult.Requests::wrongAnswers));
        page.tile("Requests", counts, "of " + total(RunResult.Requests::offered) + " offered");
    }

    private String total(ToLongFunction<RunResult.Requests> count) {
        return Numbers.count(report.results().stream().mapToLong(r -> count.applyAsLong(r.requests())).sum());
    }

    private void about() {
        page.honesty(report.config().link().isZero() ? "Measured" : "Simulated", report.honesty())
                .tag("p", report.workload()).raw("<dl>\n");
        for (RunResult result : report.results()) {
            int colour = report.results().indexOf(result);
            page.raw("<dt><span class=\"swatch b" + colour % 4 + "\"></span>" + Svg.escape(result.transport())
                    + (isReference(result) ? " (reference)" : "") + "</dt>").tag("dd", result.description());
        }
        page.raw("</dl>\n");
    }

    private boolean isReference(RunResult result) {
        return result.transport().equals(report.reference());
    }

    private void summary() {
        page.tag("h2", "All figures").raw("<div class=\"wide\"><table>\n<thead><tr><th></th><th>unit</th>");
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
