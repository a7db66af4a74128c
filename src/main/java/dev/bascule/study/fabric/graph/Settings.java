package dev.bascule.study.fabric.graph;

import dev.bascule.config.ConfigProblem;
import dev.bascule.config.FabricConfig;
import dev.bascule.config.FabricConfig.Place;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** The settings of one device or node; what is wrong with them joins the graph's problems. */
final class Settings {
    private final FabricConfig config;
    private final Place place;
    private final String whose;
    private final Map<String, String> values;
    private final List<ConfigProblem> problems;

    Settings(FabricConfig config, Place place, String whose, Map<String, String> values,
            List<ConfigProblem> problems) {
        this.config = config;
        this.place = place;
        this.whose = whose;
        this.values = values;
        this.problems = problems;
    }

    /** Refuses all keys but these. */
    void only(List<String> known) {
        for (String key : values.keySet()) {
            if (!known.contains(key)) {
                problem("unknown key '" + key + "'; " + (known.isEmpty()
                        ? "it has none"
                        : "known: "
                                + String.join(", ", known)));
            }
        }
    }

    long number(String key, long otherwise, long least, long most) {
        String text = values.get(key);
        if (text == null) {
            return otherwise;
        }
        try {
            long value = Long.parseLong(text.replace("_", ""));
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        problem("'" + key + "' takes a whole number from " + least + " to " + most + ", found '" + text + "'");
        return otherwise;
    }

    double rate(String key) {
        String text = values.get(key);
        if (text == null) {
            return 0;
        }
        try {
            double value = Double.parseDouble(text);
            if (value > 0 && value < 1e6) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        problem("'" + key + "' takes Gbit/s, more than 0, found '" + text + "'");
        return 0;
    }

    String word(String key, String otherwise, List<String> known) {
        String text = values.getOrDefault(key, otherwise);
        if (!known.contains(text)) {
            problem("'" + key + "' is one of " + String.join(", ", known) + ", not '" + text + "'");
            return otherwise;
        }
        return text;
    }

    String text(String key) {
        String text = values.get(key);
        if (text == null) {
            problem("'" + key + "' is missing");
            return "";
        }
        return text;
    }

    /** A name without a folder, of letters, digits and {@code . _ -}; not hidden. */
    String plainName(String key) {
        String text = text(key);
        if (values.containsKey(key) && !text.matches("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")) {
            problem("'" + key + "' is a plain name of letters, digits, '.', '_' and '-', not '" + text + "'");
            return "";
        }
        return text;
    }

    /** Keys in hexadecimal, 16 or 32 bytes each. */
    List<byte[]> keys(String key) {
        List<byte[]> keys = new ArrayList<>();
        for (String text : text(key).split("\\s+")) {
            if (text.matches("[0-9a-fA-F]{32}|[0-9a-fA-F]{64}")) {
                keys.add(HexFormat.of().parseHex(text));
            } else if (!text.isEmpty()) {
                problem("a key has 32 or 64 hexadecimal digits, this one " + text.length() + " characters");
            }
        }
        return keys;
    }

    void problem(String message) {
        problems.add(config.problem(place, whose + ": " + message));
    }
}
