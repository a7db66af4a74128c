package dev.bascule.study.report;

import dev.bascule.report.Axis;
import dev.bascule.report.HtmlPage;
import dev.bascule.report.LineChart;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Points of a sweep as a page: latency against load, a line for each combination of everything else. */
public final class SweepReport {
    private static final int MOST_LINES = 8;

    /**
     * One point.
     *
     * @param line what it has in common with the others of its line
     * @param load part of the capacity
     * @param latency of all jobs
     * @param classes latency of each class of jobs; empty: not known
     * @param overloaded more was offered than could be done
     */
    public record Point(String line, double load, RepeatedLatency latency, List<RepeatedLatency> classes,
            boolean overloaded) {}

    private SweepReport() {}

    /** The page; lines beyond the eighth are only in the table. */
    public static String html(Map<String, List<Point>> lines) {
        HtmlPage page = new HtmlPage("Simulated sweep").honesty("Simulated", "Every time here is virtual.")
                .tag("p",
                        "Means of independent runs, with 95 % intervals (Student's t). Hollow markers: more was offered than "
                                + "could be done.")
                .figure("", svg(lines, "p99 latency (µs, log scale)", true))
                .figure("", svg(lines, "p50 latency (µs, log scale)", false))
                .table("<th></th><th>load</th><th>class</th><th>mean (µs)</th><th>p50 (µs)</th>"
                        + "<th>p99 (µs)</th><th>p99.9 (µs)</th>");
        lines.values().forEach(points -> points.forEach(p -> {
            row(page, p, p.latency());
            if (p.classes().size() > 1) {
                p.classes().forEach(one -> row(page, p, one));
            }
        }));
        return page.endTable().end();
    }

    private static void row(HtmlPage page, Point p, RepeatedLatency one) {
        page.raw("<tr>").cell("td", "", p.line()).cell("td", "number", Axis.label(p.load())).cell("td", "", one.name());
        one.cells().forEach(cell -> page.cell("td", "number", cell));
        page.raw("</tr>\n");
    }

    private static String svg(Map<String, List<Point>> lines, String yLabel, boolean tail) {
        LineChart chart = new LineChart(yLabel + " against load", "offered load (part of the capacity)", yLabel);
        int number = 0;
        for (Map.Entry<String, List<Point>> line : lines.entrySet()) {
            if (number == MOST_LINES) {
                break;
            }
            List<LineChart.Point> points = new ArrayList<>();
            line.getValue().forEach(p -> points.add(
                    LineChart.Point.of(p.load(), (tail ? p.latency().p99() : p.latency().p50()).times(1e-3),
                            p.overloaded())));
            chart.add(line.getKey(), number % 4, (number + number / 4) % 4, points);
            number++;
        }
        return chart.render();
    }
}
