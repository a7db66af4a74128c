package dev.bascule.study.cli;

import dev.bascule.run.Misuse;
import dev.bascule.study.experiment.PointSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The points of a sweep: every combination of the values of its axes. Impossible ones are an error that names the
 * point, before anything runs.
 */
record SweepGrid(List<PointSpec> points) {
    private static final int MOST_POINTS = 1_000_000;

    /** From {@code KEY=V1,V2,...} for each axis, with the places of policies that are the user's own. */
    static SweepGrid of(Map<String, String> axes, List<Path> policyPath) {
        List<Map<String, String>> all = new ArrayList<>();
        all.add(new LinkedHashMap<>());
        for (Map.Entry<String, String> axis : axes.entrySet()) {
            String[] values = axis.getValue().split(",", -1);
            if ((long) all.size() * values.length > MOST_POINTS) {
                throw new Misuse("sweep: more than " + MOST_POINTS + " points; leave values out");
            }
            List<Map<String, String>> longer = new ArrayList<>();
            for (Map<String, String> point : all) {
                for (String value : values) {
                    Map<String, String> next = new LinkedHashMap<>(point);
                    next.put(axis.getKey(), value.strip());
                    longer.add(next);
                }
            }
            all = longer;
        }
        List<PointSpec> points = new ArrayList<>();
        for (Map<String, String> point : all) {
            try {
                points.add(PointSpec.of(point, policyPath));
            } catch (IllegalArgumentException e) {
                throw new Misuse("sweep: the point " + point + " is impossible: " + e.getMessage());
            }
        }
        return new SweepGrid(points.stream().distinct().toList());
    }
}
