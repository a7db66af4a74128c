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
     */
    public record Row(String label, String unit, boolean whole, List<Double> values) {
        /** Copies the list. */
        public Row {
            values = List.copyOf(values);
        }

        String print(int column) {
            double value = values.get(column);
            return whole ? Numbers.count(value) : Numbers.decimal(value);
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

    String render() {
        List<String> headers = new ArrayList<>(List.of("", "unit"));
        headers.addAll(columns);
        Table table = new Table(2, headers.toArray(String[]::new));
        for (Row row : rows) {
            List<String> cells = new ArrayList<>(List.of("  " + row.label(), row.unit()));
            for (int column = 0; column < columns.size(); column++) {
                cells.add(row.print(column));
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
            lines.add(Json.object().put("label", row.label()).put("unit", row.unit()).put("values", values));
        }
        return Json.object().put("caption", caption).put("columns", Json.texts(columns)).put("rows", lines);
    }
}
