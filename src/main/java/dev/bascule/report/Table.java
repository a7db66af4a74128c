package dev.bascule.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A plain text table: first columns to the left, the others to the right, two spaces between. Not thread-safe. */
public final class Table {
    private static final String GAP = "  ";

    private final int leftColumns;
    private final int columns;
    private final List<String[]> rows = new ArrayList<>();

    /**
     * @param leftColumns
     *            how many columns are aligned to the left
     * @param headers
     *            one per column, with the unit
     */
    public Table(int leftColumns, String... headers) {
        this.leftColumns = leftColumns;
        this.columns = headers.length;
        rows.add(headers.clone());
        rows.add(new String[0]);
    }

    /** Adds a row of as many cells as there are headers. */
    public Table row(String... cells) {
        if (cells.length != columns) {
            throw new IllegalArgumentException(columns + " columns, but " + cells.length + " cells");
        }
        rows.add(cells.clone());
        return this;
    }

    /** Adds a heading across the columns. */
    Table heading(String text) {
        rows.add(new String[] { text });
        return this;
    }

    /** The table, each line ended, no blanks at line ends. */
    public String render() {
        int[] widths = new int[columns];
        for (String[] row : rows) {
            for (int i = 0; i < row.length && row.length == columns; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        int total = Arrays.stream(widths).sum() + GAP.length() * (columns - 1);
        StringBuilder out = new StringBuilder();
        for (String[] row : rows) {
            out.append(line(row, widths, total).stripTrailing()).append('\n');
        }
        return out.toString();
    }

    private String line(String[] row, int[] widths, int total) {
        if (row.length == 0) {
            return "-".repeat(total);
        }
        if (row.length != columns) {
            return row[0];
        }
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < columns; i++) {
            String blanks = " ".repeat(widths[i] - row[i].length());
            out.append(i == 0 ? "" : GAP).append(i < leftColumns ? row[i] + blanks : blanks + row[i]);
        }
        return out.toString();
    }
}
