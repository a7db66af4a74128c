package dev.bascule.report;

import java.util.List;
import java.util.Locale;

/** A histogram of times on a log scale, with lines at the percentiles. */
public final class HistogramChart {
    private static final double WIDTH = 420;
    private static final double HEIGHT = 270;
    private static final double LEFT = 56;
    private static final double RIGHT = 16;
    private static final double TOP = 66;
    private static final double BOTTOM = 50;
    private static final double FLOOR = HEIGHT - BOTTOM;
    private static final double LABEL_ROW = 17;
    private static final double LABEL_WIDTH = 92;

    private final Axis x;
    private final Axis y;
    private final String xLabel;

    /** A chart with the axes of several charts, so that they can be compared. */
    public HistogramChart(List<List<HistogramBar>> all, String xLabel) {
        this.xLabel = xLabel;
        double min = all.stream().flatMap(List::stream).mapToDouble(HistogramBar::fromMicros).min().orElse(1);
        double max = all.stream().flatMap(List::stream).mapToDouble(HistogramBar::toMicros).max().orElse(10);
        x = Axis.log(min, max);
        y = Axis.linear(all.stream().mapToDouble(HistogramChart::highestPercent).max().orElse(1), 4);
    }

    private static long total(List<HistogramBar> bars) {
        return bars.stream().mapToLong(HistogramBar::count).sum();
    }

    private static double highestPercent(List<HistogramBar> bars) {
        return bars.stream().mapToDouble(b -> percent(b, total(bars))).max().orElse(1);
    }

    private static double percent(HistogramBar bar, long total) {
        return total == 0 ? 0 : 100.0 * bar.count() / total;
    }

    /** One histogram as SVG. */
    public String render(String label, int colour, List<HistogramBar> bars, Percentiles marks) {
        Svg svg = new Svg(WIDTH, HEIGHT, label);
        axes(svg);
        long total = total(bars);
        for (HistogramBar bar : bars) {
            if (bar.count() > 0) {
                bar(svg, colour, bar, percent(bar, total));
            }
        }
        if (total == 0) {
            svg.text("label", (LEFT + WIDTH - RIGHT) / 2, (TOP + FLOOR) / 2, "middle", "no decision was measured");
        } else {
            mark(svg, "p50", marks.p50(), 2);
            mark(svg, "p99", marks.p99(), 1);
            mark(svg, "p99.9", marks.p999(), 0);
        }
        return svg.close();
    }

    private void axes(Svg svg) {
        for (double tick : y.ticks()) {
            double at = FLOOR - y.place(tick) * (FLOOR - TOP);
            svg.line("grid", LEFT, at, WIDTH - RIGHT, at);
            svg.text("tick", LEFT - 8, at + 4, "end", Axis.label(tick));
        }
        for (double tick : x.ticks()) {
            double at = at(tick);
            svg.line("axis", at, FLOOR, at, FLOOR + 5);
            svg.text("tick", at, FLOOR + 19, "middle", Axis.label(tick));
        }
        svg.line("axis", LEFT, FLOOR, WIDTH - RIGHT, FLOOR);
        svg.text("label", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 9, "middle", xLabel);
        svg.textUpwards("label", 13, (TOP + FLOOR) / 2, "share (%)");
    }

    /** A bar that is not empty is at least one unit high, so that the tail can be seen. */
    private void bar(Svg svg, int colour, HistogramBar bar, double percent) {
        double left = at(bar.fromMicros());
        double height = Math.max(1, y.place(percent) * (FLOOR - TOP));
        String tip = String.format(Locale.ROOT, "%s to %s µs: %,d (%.3f %%)", Numbers.decimal(bar.fromMicros()),
                Numbers.decimal(bar.toMicros()), bar.count(), percent);
        svg.rect("bar f" + colour, left, FLOOR - height, Math.max(1, at(bar.toMicros()) - left - 1), height, tip);
    }

    /** Labels stand in three rows so that near percentiles do not overlap. */
    private void mark(Svg svg, String name, double micros, int row) {
        if (!Double.isFinite(micros)) {
            return;
        }
        double at = at(micros);
        double textY = TOP - 10 - row * LABEL_ROW;
        boolean leftwards = at + LABEL_WIDTH > WIDTH - RIGHT;
        svg.line("mark", at, textY - 9, at, FLOOR);
        svg.text("tick", leftwards ? at - 4 : at + 4, textY, leftwards ? "end" : "start",
                name + " " + Numbers.decimal(micros) + " µs");
    }

    private double at(double micros) {
        return LEFT + x.place(micros) * (WIDTH - RIGHT - LEFT);
    }
}
