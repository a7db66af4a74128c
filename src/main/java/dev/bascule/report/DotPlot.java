package dev.bascule.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Figures of a {@link Grid} that have one unit, as dots on one axis: a row for each quantity, a dot for each column,
 * with a line for its interval. Colour is by the first word of a column's name, marker by the rest.
 */
final class DotPlot {
    private static final double WIDTH = 420;
    private static final double LEFT = 10;
    private static final double RIGHT = 22;
    private static final double ROW = 40;
    private static final double LINE = 28;
    private static final double BOTTOM = 46;
    /** Figures whose largest is so many times the least are drawn on a log scale. */
    private static final double ORDERS = 20;
    private static final int TICKS = 5;

    private final Grid grid;
    private final List<Grid.Row> rows;
    private final Axis axis;
    private final boolean isLog;

    private DotPlot(Grid grid, List<Grid.Row> rows) {
        this.grid = grid;
        this.rows = rows;
        double[] all = rows.stream().flatMap(row -> row.values().stream()).mapToDouble(v -> v)
                .filter(v -> !Double.isNaN(v)).toArray();
        double least = IntStream.range(0, all.length).mapToDouble(i -> all[i]).min().orElse(0);
        double most = IntStream.range(0, all.length).mapToDouble(i -> all[i]).max().orElse(1);
        isLog = least > 0 && most >= ORDERS * least;
        axis = isLog ? Axis.log(least, most) : Axis.linear(most, TICKS);
    }

    /** The plots of a grid, by unit in the order of its rows; none of what one column has, or what is 0 everywhere. */
    static Map<String, String> of(Grid grid) {
        Map<String, List<Grid.Row>> byUnit = grid.rows().stream()
                .filter(row -> grid.columns().size() > 1 && row.values().stream().anyMatch(v -> v > 0))
                .collect(Collectors.groupingBy(Grid.Row::unit, LinkedHashMap::new, Collectors.toList()));
        Map<String, String> plots = new LinkedHashMap<>();
        byUnit.forEach((unit, rows) -> plots.put(unit, new DotPlot(grid, rows).render(unit)));
        return plots;
    }

    private static String first(String column) {
        return column.split(" ", 2)[0];
    }

    private int colour(int column) {
        return grid.columns().stream().map(DotPlot::first).distinct().toList()
                .indexOf(first(grid.columns().get(column))) % 4;
    }

    private int shape(int column) {
        return grid.columns().stream().map(name -> name.substring(first(name).length())).distinct().toList()
                .indexOf(grid.columns().get(column).substring(first(grid.columns().get(column)).length())) % 4;
    }

    private String render(String unit) {
        Legend legend = new Legend(LEFT, WIDTH);
        for (int column = 0; column < grid.columns().size(); column++) {
            legend.add(grid.columns().get(column), colour(column), shape(column), false);
        }
        double top = legend.end();
        double floor = top + ROW * rows.size();
        Svg svg = new Svg(WIDTH, floor + BOTTOM, grid.caption() + ", " + unit);
        legend.draw(svg);
        for (double tick : axis.ticks()) {
            svg.line("grid", at(tick), top, at(tick), floor);
            svg.text("tick", at(tick), floor + 17, "middle", Axis.label(tick));
        }
        String label = (unit.equals("us") ? "µs" : unit) + (isLog ? ", log scale" : "");
        svg.text("label", WIDTH / 2, floor + 37, "middle", label);
        for (int i = 0; i < rows.size(); i++) {
            row(svg, rows.get(i), top + ROW * i);
        }
        return svg.close();
    }

    private void row(Svg svg, Grid.Row row, double top) {
        svg.text("tick", LEFT, top + 12, "start", row.label());
        svg.line("axis", LEFT, top + LINE, WIDTH - RIGHT, top + LINE);
        for (int column = 0; column < grid.columns().size(); column++) {
            double value = row.values().get(column);
            if (!Double.isFinite(value) || isLog && value <= 0) {
                continue;
            }
            Estimate estimate = row.estimate(column);
            if (estimate.high() > estimate.low()) {
                svg.line("line s" + colour(column), at(Math.max(estimate.low(), 0)), top + LINE, at(estimate.high()),
                        top + LINE);
            }
            svg.marker("dot f" + colour(column), shape(column), at(value), top + LINE,
                    grid.columns().get(column) + ": " + grid.print(row, column) + " " + row.unit());
        }
    }

    private double at(double value) {
        return LEFT + axis.place(value) * (WIDTH - RIGHT - LEFT);
    }
}
