package dev.bascule.report;

import java.util.ArrayList;
import java.util.List;

/** A run of memory tiering as a page: what lay in fast memory over time, what it served, and what the program did. */
public final class TierPage {
    private static final double MIB = 1 << 20;
    private static final String TIME = "time (s)";

    /**
     * One moment.
     *
     * @param seconds since the run's begin
     * @param residentBytes of the program
     * @param fastBytes of these in fast memory
     * @param touches pages touched so far, once a period each
     * @param slowTouches of these in slow memory
     * @param operations that the program has told so far; -1 where it does not
     */
    public record Moment(double seconds, long residentBytes, long fastBytes, long touches, long slowTouches,
            long operations) {}

    private TierPage() {}

    /**
     * The page.
     *
     * @param summary what the command prints, as text
     * @param real whether pages really were moved; else what is drawn is what would be
     * @param moments in the order of time
     */
    public static String html(String title, String summary, boolean real, List<Moment> moments) {
        HtmlPage page = new HtmlPage(title).honesty("Measured", real
                ? "All of it on this machine, pages of a real process."
                : "On this machine, pages of a real process; none was moved out, fast memory is what would be left.")
                .raw("<div class=\"wide\"><pre>").raw(Svg.escape(summary)).raw("</pre></div>\n")
                .figure("Memory over time", memory(moments))
                .figure("Share of the touched pages that lay in fast memory, by period", served(moments));
        if (moments.stream().anyMatch(one -> one.operations() >= 0)) {
            page.figure("Throughput, as the program tells it", throughput(moments));
        }
        return page.end();
    }

    private static String memory(List<Moment> moments) {
        LineChart chart = LineChart.linear("memory of the program against time", TIME, "memory (MiB)");
        chart.add("in memory", 1, 1, moments.stream().map(one -> point(one, one.residentBytes() / MIB)).toList());
        chart.add("in fast memory", 0, 0, moments.stream().map(one -> point(one, one.fastBytes() / MIB)).toList());
        return chart.render();
    }

    private static LineChart.Point point(Moment at, double y) {
        return new LineChart.Point(at.seconds(), y, false);
    }

    private static String served(List<Moment> moments) {
        List<LineChart.Point> points = new ArrayList<>();
        for (int i = 1; i < moments.size(); i++) {
            long all = moments.get(i).touches() - moments.get(i - 1).touches();
            long slow = moments.get(i).slowTouches() - moments.get(i - 1).slowTouches();
            if (all > 0) {
                points.add(point(moments.get(i), 100.0 * (all - slow) / all));
            }
        }
        LineChart chart = LineChart.linear("share of touched pages in fast memory against time", TIME,
                "touched in fast memory (%)");
        chart.add("in fast memory", 0, 0, points);
        return chart.render();
    }

    private static String throughput(List<Moment> moments) {
        List<LineChart.Point> points = new ArrayList<>();
        Moment before = null;
        for (Moment one : moments) {
            if (one.operations() < 0) {
                continue;
            }
            if (before != null && one.seconds() > before.seconds()) {
                points.add(point(one, (one.operations() - before.operations()) / (one.seconds() - before.seconds())));
            }
            before = one;
        }
        LineChart chart = LineChart.linear("operations per second against time", TIME, "operations/s");
        chart.add("operations/s", 2, 2, points);
        return chart.render();
    }
}
