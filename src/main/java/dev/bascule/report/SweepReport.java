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
        StringBuilder out = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                + "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Simulated sweep</title>\n<style>\n");
        out.append(HtmlStyle.CSS).append("</style>\n</head>\n<body>\n<main>\n<h1>Simulated sweep</h1>\n"
                + "<p class=\"honesty\"><strong>Simulated</strong> Every time here is virtual.</p>\n"
                + "<p>Hollow markers: more was offered than could be done.</p>\n<figure>\n");
        out.append(svg(lines, "p99 latency (µs, log scale)", true)).append("</figure>\n<figure>\n")
                .append(svg(lines, "p50 latency (µs, log scale)", false)).append("</figure>\n");
        out.append("<div class=\"wide\"><table>\n<thead><tr><th></th><th>load</th><th>p50 (µs)</th><th>p99 (µs)</th>"
                + "</tr></thead>\n<tbody>\n");
        lines.forEach((name, points) -> points.forEach(p -> out.append("<tr><td>").append(Svg.escape(name))
                .append("</td><td class=\"number\">").append(Axis.label(p.load())).append("</td><td class=\"number\">")
                .append(Numbers.decimal(p.p50Micros())).append("</td><td class=\"number\">")
                .append(Numbers.decimal(p.p99Micros())).append("</td></tr>\n")));
        return out.append("</tbody></table></div>\n</main>\n</body>\n</html>\n").toString();
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
