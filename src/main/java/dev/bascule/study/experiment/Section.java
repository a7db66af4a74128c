package dev.bascule.study.experiment;

import dev.bascule.study.report.Agreement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One experiment.
 *
 * @param id short name, {@code b} or {@code E3}
 * @param title what it asks
 * @param method how it was simulated, and every choice that is not in the cost profile
 * @param figures what came out
 */
public record Section(String id, String title, String method, List<Figure> figures) {
    /** Keeps a copy. */
    public Section {
        figures = List.copyOf(figures);
    }

    /** This section with more figures after its own. */
    public Section with(List<Figure> more) {
        List<Figure> all = new ArrayList<>(figures);
        all.addAll(more);
        return new Section(id, title, method, all);
    }

    /** One experiment of several repeats: figures of one name become one, in the order in which they first stand. */
    public static Section over(List<Section> repeats) {
        Map<String, List<Figure>> byName = new LinkedHashMap<>();
        repeats.forEach(section -> section.figures()
                .forEach(figure -> byName.computeIfAbsent(figure.what(), name -> new ArrayList<>()).add(figure)));
        Section first = repeats.getFirst();
        return new Section(first.id, first.title, first.method, byName.values().stream().map(Figure::over).toList());
    }

    /** Agreement of all predicted figures of these with the published ones. */
    public static Agreement agreement(List<Section> sections, String why) {
        List<Agreement.Entry> entries = new ArrayList<>();
        for (Section section : sections) {
            section.figures().stream().filter(figure -> figure.kind() == Figure.Kind.PREDICTED && figure.isCompared())
                    .forEach(figure -> entries.add(new Agreement.Entry(section.id(), figure.what(), figure.isClose(),
                            figure.deviationText(), Math.abs(figure.deviation()))));
        }
        return Agreement.of(entries, why);
    }
}
