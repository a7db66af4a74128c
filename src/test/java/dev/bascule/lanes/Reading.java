package dev.bascule.lanes;

import dev.bascule.json.JsonFormatException;
import dev.bascule.json.JsonReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A figure of a command's output and what it must be: {@code exit is 0}, {@code rows[row=ring-32].value at most 1.15},
 * {@code parts[verdict=failed] count is 0}, {@code text "(\d+) frames" at least 1000}, {@code a.b is 12 within 5 %}.
 * A path walks the JSON document: {@code [*]} takes all elements, {@code [key=value]} those with it, {@code {*}} all
 * fields; each value that it leads to must hold, and there must be one.
 */
record Reading(String what, String relation, double expected, double tolerance) {
    private static final Pattern FORM = Pattern
            .compile("(.+?) (is|at most|at least) (-?[\\d.]+)(?: within ([\\d.]+)( %)?)?");
    private static final Pattern STEP = Pattern.compile("([\\w-]+)|\\[\\*]|\\{\\*}|\\[(\\w+)=([^]]+)]");
    private static final String COUNT = " count";

    /** Figures that were read, and whether they hold. */
    record Result(String read, boolean holds) {}

    static Reading parse(String line) {
        Matcher form = FORM.matcher(line);
        if (!form.matches()) {
            throw new IllegalArgumentException("no reading: " + line);
        }
        double expected = Double.parseDouble(form.group(3));
        double tolerance = form.group(4) == null ? 0 : Double.parseDouble(form.group(4));
        return new Reading(form.group(1), form.group(2), expected,
                form.group(5) == null ? tolerance : Math.abs(expected) * tolerance / 100);
    }

    /** Relation and figure, for people. */
    String must() {
        return relation + " " + number(expected) + (tolerance > 0 ? " ± " + number(tolerance) : "");
    }

    Result of(String output, int exitStatus) {
        List<Double> values;
        try {
            values = what.equals("exit")
                    ? List.of((double) exitStatus)
                    : what.startsWith("text ")
                            ? text(output)
                            : json(output);
        } catch (JsonFormatException e) {
            return new Result("no JSON: " + e.reason(), false);
        }
        return values.isEmpty()
                ? new Result("nothing there", false)
                : new Result(String.join(" ", values.stream().map(Reading::number).distinct().toList()),
                        values.stream().allMatch(this::holds));
    }

    private boolean holds(double value) {
        return switch (relation) {
            case "is" -> Math.abs(value - expected) <= tolerance;
            case "at most" -> value <= expected;
            default -> value >= expected;
        };
    }

    private List<Double> text(String output) {
        Matcher found = Pattern.compile(what.substring("text ".length()).replaceAll("^\"|\"$", "")).matcher(output);
        List<Double> values = new ArrayList<>();
        while (found.find()) {
            values.add(Double.parseDouble(found.group(1).replace(",", "")));
        }
        return values;
    }

    private List<Double> json(String output) throws JsonFormatException {
        boolean counts = what.endsWith(COUNT);
        String path = counts ? what.substring(0, what.length() - COUNT.length()) : what;
        List<Object> at = new ArrayList<>();
        Object whole = JsonReader.parse(output);
        at.add(whole);
        for (Matcher step = STEP.matcher(path); step.find();) {
            at = step(at, step);
        }
        if (counts) {
            return List.of((double) at.size());
        }
        return at.stream().map(value -> value instanceof Number number
                ? number.doubleValue()
                : value instanceof Boolean bool ? bool ? 1.0 : 0.0 : Double.NaN).toList();
    }

    private static List<Object> step(List<Object> from, Matcher step) {
        List<Object> to = new ArrayList<>();
        for (Object value : from) {
            if (step.group(1) != null) {
                if (value instanceof Map<?, ?> map && map.get(step.group(1)) != null) {
                    to.add(map.get(step.group(1)));
                }
            } else if (step.group(2) != null) {
                elements(value).stream().filter(one -> one instanceof Map<?, ?> map
                        && step.group(3).equals(String.valueOf(map.get(step.group(2))))).forEach(to::add);
            } else {
                to.addAll(elements(value));
            }
        }
        return to;
    }

    private static List<?> elements(Object value) {
        return value instanceof List<?> list
                ? list
                : value instanceof Map<?, ?> map ? List.copyOf(map.values()) : List.of();
    }

    static String number(double value) {
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.4g", value);
    }
}
