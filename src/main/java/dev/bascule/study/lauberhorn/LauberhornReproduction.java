package dev.bascule.study.lauberhorn;

import dev.bascule.config.CostProfile;
import dev.bascule.study.lauberhorn.LauberhornFigure.Kind;
import dev.bascule.study.report.Agreement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reproduction of what "The NIC should be part of the OS" and its prototype's raw data report, computed from a file of
 * costs, simulated with the production dispatcher, and measured here.
 *
 * @param costs all inputs
 * @param sections in order
 * @param curves by file name, for pictures
 */
public record LauberhornReproduction(CostProfile costs, List<Part> sections, Map<String, Curves> curves) {
    /**
     * A part.
     *
     * @param id short name
     * @param title what it asks
     * @param method how
     * @param figures what came out
     */
    public record Part(String id, String title, String method, List<LauberhornFigure> figures) {
        /** Keeps a copy. */
        public Part {
            figures = List.copyOf(figures);
        }
    }

    /**
     * A picture.
     *
     * @param title of it
     * @param xLabel with the unit
     * @param yLabel with the unit
     * @param lines in order
     */
    public record Curves(String title, String xLabel, String yLabel, List<Line> lines) {}

    /**
     * A line of a picture.
     *
     * @param name of it
     * @param isPublished whether it is not ours
     * @param x of each point
     * @param y of each point
     */
    public record Line(String name, boolean isPublished, double[] x, double[] y) {}

    /** Keeps copies. */
    public LauberhornReproduction {
        sections = List.copyOf(sections);
        curves = Map.copyOf(curves);
    }

    /** Agreement with published figures, and why the rest differs. */
    public Agreement agreement() {
        List<Agreement.Entry> entries = new ArrayList<>();
        for (Part part : sections) {
            for (LauberhornFigure figure : part.figures()) {
                Double deviation = figure.deviationPercent();
                if (deviation != null) {
                    entries.add(new Agreement.Entry(part.id(), figure.what(), Math.abs(deviation) <= 15,
                            String.format(Locale.ROOT, "%+.0f %%", deviation), Math.abs(deviation)));
                }
            }
        }
        return Agreement.of(entries,
                "DMA has no software here, and lines are received one after the other, so the sizes from which DMA is"
                        + " quicker are lower bounds (limit) and the paper's 4 KiB is not reproduced; the paper's own figures"
                        + " have no numbers, and nothing was published of (c) and (d)");
    }

    /** Computes, simulates and, if asked, measures. */
    public static LauberhornReproduction run(CostProfile costs, boolean quick, boolean live, long seed,
            Consumer<String> progress) {
        List<Part> sections = new ArrayList<>();
        Map<String, Curves> curves = new LinkedHashMap<>();
        LineCosts lines = new LineCosts(costs);
        sections.add(lines.roundTrips());
        sections.add(lines.sizes(curves));
        progress.accept("lines and sizes computed");
        EndSystem end = new EndSystem(costs);
        sections.add(end.computed());
        sections.add(new DynamicMix(costs, end, quick, seed).run(curves, progress));
        if (live) {
            sections.add(new LiveCosts(quick, seed).run(progress));
        }
        return new LauberhornReproduction(costs, sections, curves);
    }

    /** A figure whose two constants were fitted to two of its published points is calibrated there, else predicted. */
    static LauberhornFigure fitted(LauberhornFigure figure, boolean isFitted, String what) {
        return isFitted ? figure.of(Kind.CALIBRATED, what) : figure;
    }
}
