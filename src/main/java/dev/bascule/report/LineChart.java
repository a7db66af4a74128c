package dev.bascule.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A line chart with a log scale upwards unless it is {@link #linear}, and to the right too where the values differ by
 * orders.
 */
public final class LineChart {
    /** So narrow that its letters can be read on a telephone. */
    private static final double WIDTH = 420;
    private static final double PLOT_HEIGHT = 230;
    private static final double LEFT = 80;
    private static final double RIGHT = 16;
    private static final double BOTTOM = 52;
    private static final int X_TICKS = 6;
    /** Values whose largest is so many times the least are drawn on a log scale. */
    private static final double ORDERS = 100;

    private final String label;
    private final String xLabel;
    private final String yLabel;
    private final boolean isLinear;
    private final List<Series> series = new ArrayList<>();
    private final List<Point> span = new ArrayList<>();
    private final Legend legend = new Legend(LEFT, WIDTH);
    private double floor;

    /** One point, with the ends of its interval, NaN for none; a hollow one is special and the caption says why. */
    public record Point(double x, double y, boolean hollow, double low, double high) {
        public Point(double x, double y, boolean hollow) {
            this(x, y, hollow, Double.NaN, Double.NaN);
        }

        /** A point with its interval. */
        public static Point of(double x, Estimate y, boolean hollow) {
            return new Point(x, y.mean(), hollow, y.low(), y.high());
        }
    }

    private record Series(String name, int colour, int shape, List<Point> points) {}

    public LineChart(String label, String xLabel, String yLabel) {
        this(label, xLabel, yLabel, false);
    }

    private LineChart(String label, String xLabel, String yLabel, boolean isLinear) {
        this.label = label;
        this.xLabel = xLabel;
        this.yLabel = yLabel;
        this.isLinear = isLinear;
    }

    /** One from 0 on with even steps, upwards and to the right. */
    static LineChart linear(String label, String xLabel, String yLabel) {
        return new LineChart(label, xLabel, yLabel, true);
    }

    /** Adds a series; points without a finite positive y, in a linear one a finite y, are left out. */
    public void add(String name, int colour, int shape, List<Point> points) {
        legend.add(name, colour, shape, true);
        series.add(new Series(name, colour, shape,
                points.stream().filter(p -> Double.isFinite(p.y()) && (isLinear || p.y() > 0)).toList()));
    }

    /** Widens the axes to hold these points too, so that charts can share their scales. */
    LineChart spanning(List<Point> points) {
        points.stream().filter(p -> Double.isFinite(p.y()) && p.y() > 0).forEach(span::add);
        return this;
    }

    /** The chart as SVG. */
    public String render() {
        double top = legend.end();
        floor = top + PLOT_HEIGHT;
        Svg svg = new Svg(WIDTH, floor + BOTTOM, label);
        List<Point> all = series.stream().flatMap(s -> s.points().stream()).toList();
        span.addAll(all);
        double least = span.stream().mapToDouble(Point::x).min().orElse(1);
        double most = span.stream().mapToDouble(Point::x).max().orElse(1);
        boolean isLog = !isLinear && least > 0 && most >= ORDERS * least;
        Axis x = isLog ? Axis.log(least, most) : Axis.linear(most, X_TICKS);
        double highest = span.stream().mapToDouble(Point::y).max().orElse(10);
        Axis y = isLinear
                ? Axis.linear(highest, 6)
                : Axis.log(span.stream().mapToDouble(Point::y).min().orElse(1), highest);
        legend.draw(svg);
        axes(svg, x, y, top, isLog && !xLabel.contains("log scale") ? withScale(xLabel) : xLabel);
        for (Series each : series) {
            draw(svg, each, x, y, top);
        }
        if (all.isEmpty()) {
            svg.text("label", (LEFT + WIDTH - RIGHT) / 2, (top + floor) / 2, "middle",
                    isLinear ? "nothing was sampled" : "no load sweep was made");
        }
        return svg.close();
    }

    private static String withScale(String label) {
        return label.endsWith(")")
                ? label.substring(0, label.length() - 1) + ", log scale)"
                : label + " (log scale)";
    }

    private void axes(Svg svg, Axis x, Axis y, double top, String xLabel) {
        for (double tick : y.ticks()) {
            double at = y(y, tick, top);
            svg.line("grid", LEFT, at, WIDTH - RIGHT, at);
            svg.text("tick", LEFT - 8, at + 4, "end", Axis.label(tick));
        }
        for (double tick : x.ticks()) {
            double at = x(x, tick);
            svg.line("axis", at, floor, at, floor + 5);
            svg.text("tick", at, floor + 19, "middle", Axis.label(tick));
        }
        svg.line("axis", LEFT, floor, WIDTH - RIGHT, floor);
        svg.text("label", (LEFT + WIDTH - RIGHT) / 2, floor + 42, "middle", xLabel);
        svg.textUpwards("label", 13, (top + floor) / 2, yLabel);
    }

    private void draw(Svg svg, Series each, Axis x, Axis y, double top) {
        StringBuilder data = new StringBuilder();
        for (Point p : each.points()) {
            data.append(data.isEmpty() ? "M" : "L").append(Svg.n(x(x, p.x()))).append(' ')
                    .append(Svg.n(y(y, p.y(), top)));
        }
        if (each.points().size() > 1) {
            svg.path("line s" + each.colour() + " d" + each.shape(), data.toString());
        }
        for (Point p : each.points()) {
            if (p.high() > p.low()) {
                double lowest = p.low() > 0 ? Math.min(floor, y(y, p.low(), top)) : floor;
                svg.line("line s" + each.colour(), x(x, p.x()), lowest, x(x, p.x()),
                        Math.max(top, y(y, p.high(), top)));
            }
            svg.marker((p.hollow() ? "dot hollow s" : "dot f") + each.colour(), each.shape(), x(x, p.x()),
                    y(y, p.y(), top), String.format(Locale.ROOT, "%s: %s at %s", each.name(), Axis.label(p.y()),
                            Axis.label(p.x())));
        }
    }

    private static double x(Axis axis, double value) {
        return LEFT + axis.place(value) * (WIDTH - RIGHT - LEFT);
    }

    private double y(Axis axis, double value, double top) {
        return floor - axis.place(value) * (floor - top);
    }
}
