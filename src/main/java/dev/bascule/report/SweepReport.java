package dev.bascule.report;

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
     * @param p50Micros median latency
     * @param p99Micros 99th percentile
     * @param overloaded more was offered than could be done
     */
    public record Point(String line, double load, double p50Micros, double p99Micros, boolean overloaded) {}

    private SweepReport() {}

    /** The page; lines beyond the eighth are only in the table. */
    public static String html(Map<String, List<Point>> lines) {
        HtmlPage page = new HtmlPage("Simulated sweep").honesty("Simulated", "Every time here is virtual.")
                .tag("p", "Hollow markers: more was offered than could be done.")
                .figure("", svg(lines, "p99 latency (µs, log scale)", true))
                .figure("", svg(lines, "p50 latency (µs, log scale)", false))
                .table("<th></th><th>load</th><th>p50 (µs)</th><th>p99 (µs)</th>");
        lines.forEach((name, points) -> points.forEach(p -> page.raw("<tr>").cell("td", "", name)
                .cell("td", "number", Axis.label(p.load())).cell("td", "number", Numbers.decimal(p.p50Micros()))
                .cell("td", "number", Numbers.decimal(p.p99Micros())).raw("</tr>\n")));
        return page.endTable().end();
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
                    new LineChart.Point(p.load(), tail ? p.p99Micros() : p.p50Micros(), p.overloaded())));
            chart.add(line.getKey(), number % 4, (number + number / 4) % 4, points);
            number++;
        }
        return chart.render();
    }
}
