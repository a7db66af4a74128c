package dev.bascule.report;

import dev.bascule.json.Json;
import java.util.List;

/**
 * One experiment of a {@link Findings}.
 *
 * @param id short name, as on the command line
 * @param title what it is about
 * @param question what it asks and how, in a few sentences
 * @param grids the figures
 * @param windows distributions to be drawn on the same scales
 * @param wrong figures that no correct run has
 * @param findings what the figures of this run show, in words
 * @param notes what was not measured, and other limits
 */
public record Section(String id, String title, String question, List<Grid> grids, List<Distribution> windows,
        List<Wrong> wrong, List<String> findings, List<String> notes) {
    /** Copies the lists. */
    public Section {
        grids = List.copyOf(grids);
        windows = List.copyOf(windows);
        wrong = List.copyOf(wrong);
        findings = List.copyOf(findings);
        notes = List.copyOf(notes);
    }

    /**
     * One distribution of times.
     *
     * @param name whose
     * @param bars histogram
     * @param marks its percentiles, microseconds
     */
    public record Distribution(String name, List<HistogramBar> bars, Percentiles marks) {
        /** Copies the list. */
        public Distribution {
            bars = List.copyOf(bars);
        }
    }

    /**
     * A figure that must be zero and is not.
     *
     * @param table caption of its table
     * @param column its column
     * @param row its row
     * @param count the figure
     * @param why what it means
     */
    public record Wrong(String table, String column, String row, long count, String why) {
        String text() {
            return table + ", " + column + ", \"" + row + "\": " + Numbers.count(count) + ". " + why;
        }

        Json.Obj json() {
            return Json.object().put("table", table).put("column", column).put("row", row).put("count", count)
                    .put("why", why);
        }
    }

    Json.Obj json() {
        return Json.object().put("id", id).put("title", title).put("question", question)
                .put("tables", Json.array(grids, Grid::json)).put("wrong", Json.array(wrong, Wrong::json))
                .put("findings", Json.texts(findings)).put("notes", Json.texts(notes));
    }
}
