package dev.bascule.report;

import dev.bascule.json.Json;
import java.util.ArrayList;
import java.util.List;

/**
 * Figures in rows and columns: one row a quantity, one column a setting (transport, mode). A NaN was not measured; it is
 * printed as a dash and is null in JSON.
 *
 * @param caption what the columns have in common
 * @param columns names of the columns
 * @param rows quantities
 */
public record Grid(String caption, List<String> columns, List<Row> rows) {
    /**
     * One quantity.
     *
     * @param label what
     * @param unit its unit, as in a table
     * @param whole whether it counts things
     * @param values one a column
     * @param repeats the rows of independent repeats that this is put together from: of a count the sum, else the mean; may
     *     be empty
     */
    public record Row(String label, String unit, boolean whole, List<Double> values, List<Row> repeats) {
        private static final List<String> RATES = List.of("1/s", "an hour");

        /** Copies the list. */
        public Row {
            values = List.copyOf(values);
            repeats = List.copyOf(repeats);
        }

        /** Measured once. */
        public Row(String label, String unit, boolean whole, List<Double> values) {
            this(label, unit, whole, values, List.of());
        }

        static Row ofRepeats(List<Row> repeats) {
            Row first = repeats.getFirst();
            List<Double> values = new ArrayList<>();
            for (int i = 0; i < first.values.size(); i++) {
                int column = i;
                List<Double> figures = repeats.stream().map(one -> one.values.get(column)).toList();
                values.add(first.isCount()
                        ? figures.stream().mapToDouble(Double::doubleValue).sum()
                        : Estimate.of(figures).mean());
            }
            return new Row(first.label, first.unit, first.whole, values, repeats);
        }

        private boolean isCount() {
            return whole && !RATES.contains(unit);
        }

        /** With its interval; of a count, or of one run, the value alone. */
        Estimate estimate(int column) {
            return Estimate.of(isCount() || repeats.isEmpty()
                    ? values.subList(column, column + 1)
                    : repeats.stream().map(one -> one.values.get(column)).toList());
        }

        /** To another column, repeat by repeat; NaN of counts, and of one run without an interval. */
        Estimate ratio(int column, int reference) {
            return Estimate.of(isCount()
                    ? List.of()
                    : repeats.stream().map(one -> one.values.get(reference) > 0
                            ? one.values.get(column) / one.values.get(reference)
                            : Double.NaN).toList());
        }

        String print(int column) {
            double value = values.get(column);
            Estimate estimate = estimate(column);
            return !Double.isNaN(estimate.half())
                    ? estimate.text()
                    : whole ? Numbers.count(value) : Numbers.decimal(value);
        }
    }

    /**
     * Checks the shape and copies the lists.
     *
     * @throws IllegalArgumentException if a row has not one value a column
     */
    public Grid {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
        for (Row row : rows) {
            if (row.values().size() != columns.size()) {
                throw new IllegalArgumentException("row " + row.label() + " has " + row.values().size()
                        + " values for " + columns.size() + " columns");
            }
        }
    }

    /** Puts a grid together row by row. Not thread-safe. */
    public static final class Builder {
        private final String caption;
        private final List<String> columns;
        private final List<Row> rows = new ArrayList<>();

        /** A grid without rows. */
        public Builder(String caption, List<String> columns) {
            this.caption = caption;
            this.columns = columns;
        }

        /** Adds counts. */
        public Builder counts(String label, String unit, List<Double> values) {
            rows.add(new Row(label, unit, true, values));
            return this;
        }

        /** Adds measures. */
        public Builder measures(String label, String unit, List<Double> values) {
            rows.add(new Row(label, unit, false, values));
            return this;
        }

        /** The grid. */
        public Grid build() {
            return new Grid(caption, columns, rows);
        }
    }

    /** The column that another is compared with: the first that is about the same, as polling; the first word is whose. */
    int reference(int column) {
        for (int first = 0; first < column; first++) {
            if (about(first).equals(about(column))) {
                return first;
            }
        }
        return column;
    }

    private String about(int column) {
        String name = columns.get(column);
        return name.indexOf(' ') < 0 ? "" : name.substring(name.indexOf(' '));
    }

    /** With a mark at what cannot be told from the reference. */
    String print(Row row, int column) {
        Estimate ratio = row.ratio(column, reference(column));
        boolean isSame = reference(column) != column && !Double.isNaN(ratio.half()) && !ratio.excludes(1);
        return isSame ? row.print(column) + " " + Metric.SAME : row.print(column);
    }

    String render() {
        List<String> headers = new ArrayList<>(List.of("", "unit"));
        headers.addAll(columns);
        Table table = new Table(2, headers.toArray(String[]::new));
        for (Row row : rows) {
            List<String> cells = new ArrayList<>(List.of("  " + row.label(), row.unit()));
            for (int column = 0; column < columns.size(); column++) {
                cells.add(print(row, column));
            }
            table.row(cells.toArray(String[]::new));
        }
        return table.render();
    }

    Json.Obj json() {
        Json.Arr lines = Json.array();
        for (Row row : rows) {
            Json.Obj values = Json.object();
            for (int column = 0; column < columns.size(); column++) {
                values.putFigure(columns.get(column), row.values().get(column), row.whole());
            }
            Json.Obj line = Json.object().put("label", row.label()).put("unit", row.unit()).put("values", values);
            lines.add(row.repeats().isEmpty() ? line : line.put("intervals", intervals(row)));
        }
        return Json.object().put("caption", caption).put("columns", Json.texts(columns)).put("rows", lines);
    }

    private Json.Obj intervals(Row row) {
        Json.Obj intervals = Json.object();
        for (int column = 0; column < columns.size(); column++) {
            Json.Obj one = row.estimate(column).json();
            int reference = reference(column);
            Estimate ratio = row.ratio(column, reference);
            if (reference != column && !Double.isNaN(ratio.half())) {
                one.put("reference", columns.get(reference)).put("ratio", ratio.json())
                        .put("distinguishable", ratio.excludes(1));
            }
            intervals.put(columns.get(column), one);
        }
        return intervals;
    }
}
