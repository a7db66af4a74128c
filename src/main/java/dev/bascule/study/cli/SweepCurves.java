package dev.bascule.study.cli;

import dev.bascule.config.SmallFile;
import dev.bascule.study.report.RepeatedLatency;
import dev.bascule.study.report.SweepReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the rows of a sweep as curves over the load: the offered one, or what a closed loop came to. */
final class SweepCurves {
    private static final Pattern PAIR = Pattern.compile("([\\w.-]+)=(\\S*)");

    private SweepCurves() {}

    /** The curves of a results file; what all points have in common is not in their names. */
    static Map<String, List<SweepReport.Point>> read(Path file) throws IOException {
        List<Map<String, String>> specs = new ArrayList<>();
        String text = new String(SmallFile.read(file, SweepResults.LARGEST_BYTES), StandardCharsets.UTF_8);
        List<? extends Map<?, ?>> rows = text.lines().map(SweepResults::row).toList();
        for (Map<?, ?> row : rows) {
            Map<String, String> spec = new LinkedHashMap<>();
            Matcher pairs = PAIR.matcher(row.get("point") instanceof String point ? point : "");
            while (pairs.find()) {
                spec.put(pairs.group(1), pairs.group(2));
            }
            specs.add(spec);
        }
        Map<String, List<SweepReport.Point>> curves = new LinkedHashMap<>();
        for (int i = 0; i < rows.size(); i++) {
            Map<?, ?> row = rows.get(i);
            String name = name(specs.get(i), specs);
            curves.computeIfAbsent(name, n -> new ArrayList<>())
                    .add(new SweepReport.Point(name, load(specs.get(i), row), all(row), classes(row),
                            Boolean.TRUE.equals(row.get("overloaded"))));
        }
        curves.values().forEach(points -> points.sort(Comparator.comparingDouble(SweepReport.Point::load)));
        return curves;
    }

    private static RepeatedLatency all(Map<?, ?> row) {
        return RepeatedLatency.read("all", row, row.get("repeats") instanceof Number runs ? runs.longValue() : 1);
    }

    /** A row that an older release wrote has no classes. */
    private static List<RepeatedLatency> classes(Map<?, ?> row) {
        long runs = row.get("repeats") instanceof Number number ? number.longValue() : 1;
        List<RepeatedLatency> classes = new ArrayList<>();
        for (Object one : row.get("classes") instanceof List<?> all ? all : List.of()) {
            if (one instanceof Map<?, ?> of) {
                classes.add(RepeatedLatency.read(String.valueOf(of.get("name")), of, runs));
            }
        }
        return classes;
    }

    private static double load(Map<String, String> spec, Map<?, ?> row) {
        String offered = spec.getOrDefault("load", "");
        return offered.isEmpty()
                ? number(row, "cpusOfWork") / Double.parseDouble(spec.getOrDefault("cpus", "1"))
                : Double.parseDouble(offered);
    }

    private static String name(Map<String, String> spec, List<Map<String, String>> all) {
        StringBuilder name = new StringBuilder();
        spec.forEach((key, value) -> {
            boolean isAxis = key.equals("load") || key.equals("clients") && spec.getOrDefault("load", "").isEmpty();
            if (!isAxis && all.stream().anyMatch(other -> !value.equals(other.get(key)))) {
                name.append(name.isEmpty() ? "" : " ").append(key).append('=').append(value);
            }
        });
        return name.isEmpty()
                ? spec.getOrDefault("policy", "") + " " + spec.getOrDefault("transport", "")
                : name.toString();
    }

    private static double number(Map<?, ?> row, String key) {
        return row.get(key) instanceof Number number ? number.doubleValue() : Double.NaN;
    }
}
