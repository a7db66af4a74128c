package dev.bascule.report;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Independent repeats of the same experiments, put together: rates and times are means with intervals, counts are sums.
 * What the figures show is said anew, by what can be told from the reference and what cannot.
 */
final class RepeatedFindings {
    private final List<Findings> all;

    private RepeatedFindings(List<Findings> all) {
        this.all = all;
    }

    static Findings merged(List<Findings> repeats) {
        if (repeats.size() == 1) {
            return repeats.getFirst();
        }
        RepeatedFindings merger = new RepeatedFindings(repeats);
        Findings first = repeats.getFirst();
        List<Section> sections = new ArrayList<>();
        for (int i = 0; i < first.sections().size(); i++) {
            sections.add(merger.section(i));
        }
        return new Findings(first.title(), first.command(), first.started(), first.seed(), first.config(),
                first.simulated(), first.machine(), first.rules(), sections);
    }

    private Section section(int at) {
        List<Section> same = all.stream().map(one -> one.sections().get(at)).toList();
        Section first = same.getFirst();
        List<Grid> grids = new ArrayList<>();
        for (int i = 0; i < first.grids().size(); i++) {
            int grid = i;
            grids.add(grid(same.stream().map(one -> one.grids().get(grid)).toList()));
        }
        return new Section(first.id(), first.title(), first.question(), grids, windows(same), wrong(same),
                grids.stream().flatMap(grid -> comparisons(grid).stream()).toList(), first.notes());
    }

    private static Grid grid(List<Grid> same) {
        Grid first = same.getFirst();
        List<Grid.Row> rows = new ArrayList<>();
        for (int i = 0; i < first.rows().size(); i++) {
            int row = i;
            rows.add(Grid.Row.ofRepeats(same.stream().map(one -> one.rows().get(row)).toList()));
        }
        return new Grid(first.caption(), first.columns(), rows);
    }

    private static List<Section.Distribution> windows(List<Section> same) {
        List<Section.Distribution> windows = new ArrayList<>();
        for (int i = 0; i < same.getFirst().windows().size(); i++) {
            int at = i;
            List<Section.Distribution> parts = same.stream().map(one -> one.windows().get(at)).toList();
            windows.add(new Section.Distribution(parts.getFirst().name(), bars(parts, Section.Distribution::bars),
                    percentiles(parts.stream().map(Section.Distribution::marks).toList())));
        }
        return windows;
    }

    /** All counts of the same bars. */
    static <T> List<HistogramBar> bars(List<T> parts, Function<T, List<HistogramBar>> of) {
        TreeMap<Double, HistogramBar> bars = new TreeMap<>();
        for (T part : parts) {
            of.apply(part).forEach(bar -> bars.merge(bar.fromMicros(), bar,
                    (a, b) -> new HistogramBar(a.fromMicros(), Math.max(a.toMicros(), b.toMicros()),
                            a.count() + b.count())));
        }
        return List.copyOf(bars.values());
    }

    /** Means of percentiles; the slowest of all. */
    static Percentiles percentiles(List<Percentiles> parts) {
        return new Percentiles(parts.stream().mapToLong(Percentiles::count).sum(), mean(parts, Percentiles::p50),
                mean(parts, Percentiles::p99), mean(parts, Percentiles::p999), parts.stream()
                        .mapToDouble(Percentiles::max).filter(max -> !Double.isNaN(max)).max().orElse(Double.NaN));
    }

    private static double mean(List<Percentiles> parts, Function<Percentiles, Double> of) {
        return Estimate.of(parts.stream().map(of).toList()).mean();
    }

    private static List<Section.Wrong> wrong(List<Section> same) {
        List<Section.Wrong> wrong = new ArrayList<>();
        for (int i = 0; i < same.size(); i++) {
            String where = "Repeat " + (i + 1) + " of " + same.size() + ". ";
            same.get(i).wrong().forEach(one -> wrong.add(new Section.Wrong(one.table(), one.column(), one.row(),
                    one.count(), where + one.why())));
        }
        return wrong;
    }

    /** Comparisons with the reference, distinguishable or not, a sentence for each column. */
    private static List<String> comparisons(Grid grid) {
        List<String> sentences = new ArrayList<>();
        for (int column = 0; column < grid.columns().size(); column++) {
            int reference = grid.reference(column);
            if (reference == column) {
                continue;
            }
            List<String> higher = new ArrayList<>();
            List<String> lower = new ArrayList<>();
            List<String> same = new ArrayList<>();
            for (Grid.Row row : grid.rows()) {
                Estimate ratio = row.ratio(column, reference);
                if (ratio.excludes(1)) {
                    (ratio.mean() > 1 ? higher : lower).add(row.label() + " (" + ratio.text() + " times)");
                } else if (!Double.isNaN(ratio.half())) {
                    same.add(row.label());
                }
            }
            sentences.add(grid.caption() + ": " + grid.columns().get(column) + " against "
                    + grid.columns().get(reference) + ". " + list("Higher", higher) + list("Lower", lower)
                    + list("Not distinguishable", same).strip());
        }
        return sentences;
    }

    private static String list(String what, List<String> of) {
        return of.isEmpty() ? "" : what + ": " + String.join(", ", of) + ". ";
    }
}
