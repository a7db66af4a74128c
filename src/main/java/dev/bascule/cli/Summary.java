package dev.bascule.cli;

import dev.bascule.json.Json;
import dev.bascule.model.Losses;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What a command found out, in order: as lines for people, or as one JSON document. */
final class Summary {
    private final Map<String, Object> values = new LinkedHashMap<>();

    /** A number of things. */
    Summary put(String key, long value) {
        values.put(key, value);
        return this;
    }

    /** A measurement; not shown if there is none. */
    Summary put(String key, double value) {
        if (!Double.isNaN(value)) {
            values.put(key, value);
        }
        return this;
    }

    /** A word. */
    Summary put(String key, String value) {
        values.put(key, value);
        return this;
    }

    /** Places where frames were lost. */
    Summary put(String key, Losses losses) {
        values.put(key, losses);
        return this;
    }

    /** Adds all to a JSON document. */
    Json.Obj into(Json.Obj document) {
        values.forEach((key, value) -> {
            switch (value) {
                case Long number -> document.put(Json.key(key), number);
                case Double number -> document.put(Json.key(key), number);
                case Losses losses -> document.put(Json.key(key), Delivery.places(losses));
                default -> document.put(Json.key(key), value.toString());
            }
        });
        return document;
    }

    void print(PrintWriter out, boolean asJson) {
        if (asJson) {
            out.print(into(Json.object()).pretty());
        } else {
            int width = values.keySet().stream().mapToInt(String::length).max().orElse(0);
            values.forEach((key, value) -> out.printf(Locale.ROOT, "%-" + width + "s  %s%n", key, text(value)));
        }
        out.flush();
    }

    private static String text(Object value) {
        return switch (value) {
            case Long number -> String.format(Locale.ROOT, "%,d", number);
            case Double number -> String.format(Locale.ROOT, number >= 100 ? "%,.0f" : "%.2f", number);
            default -> value.toString();
        };
    }
}
