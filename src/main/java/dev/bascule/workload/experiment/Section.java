package dev.bascule.workload.experiment;

import java.util.List;

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
}
