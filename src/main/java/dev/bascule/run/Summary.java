package dev.bascule.run;

import dev.bascule.json.Json;
import dev.bascule.model.Losses;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Findings of a command, in order: as lines for people, or as one JSON document. */
public final class Summary {
    private final Map<String, Object> values = new LinkedHashMap<>();

    /** Figures of one of several like things, such as a queue. */
    public static final class Row {
        private final String name;
        private final Summary figures = new Summary();

        /** Row without values. */
        public Row(String name) {
            this.name = name;
        }

        /** Value that is added to the row; returns it. */
        public Row put(String key, long value) {
            figures.put(key, value);
            return this;
        }

        /** Value that is added to the row; returns it. */
        public Row put(String key, double value) {
            figures.put(key, value);
            return this;
        }

        /** Value that is added to the row; returns it. */
        public Row put(String key, String value) {
            figures.put(key, value);
            return this;
        }

        private String line() {
            return figures.values.entrySet().stream().skip(1)
                    .map(entry -> entry.getKey() + " " + text(entry.getValue())).collect(Collectors.joining(", "));
        }
    }

    /** Several like things: a line each for people, the first figure of which its name says; an array in JSON. */
    public Summary put(String key, List<Row> rows) {
        values.put(key, rows.toArray(Row[]::new));
        return this;
    }

    /** A number of things. */
    public Summary put(String key, long value) {
        values.put(key, value);
        return this;
    }

    /** A measurement; not shown if there is none. */
    public Summary put(String key, double value) {
        if (!Double.isNaN(value)) {
            values.put(key, value);
        }
        return this;
    }

    /** A word. */
    public Summary put(String key, String value) {
        values.put(key, value);
        return this;
    }

    /** Places where frames were lost. */
    public Summary put(String key, Losses losses) {
        values.put(key, losses);
        return this;
    }

    /** Adds all to a JSON document. */
    public Json.Obj into(Json.Obj document) {
        values.forEach((key, value) -> {
            switch (value) {
                case Long number -> document.put(Json.key(key), number);
                case Double number -> document.put(Json.key(key), number);
                case Losses losses -> document.put(Json.key(key), Delivery.places(losses));
                case Row[] rows -> document.put(Json.key(key),
                        Json.array(List.of(rows), row -> row.figures.into(Json.object())));
                default -> document.put(Json.key(key), value.toString());
            }
        });
        return document;
    }

    /** Prints the table, or one JSON document. */
    public void print(PrintWriter out, boolean asJson) {
        if (asJson) {
            out.print(into(Json.object()).pretty());
        } else {
            int width = values.keySet().stream().mapToInt(String::length).max().orElse(0);
            values.forEach((key, value) -> {
                if (value instanceof Row[] rows) {
                    for (Row row : rows) {
                        out.printf(Locale.ROOT, "%-" + width + "s  %s%n", row.name, row.line());
                    }
                } else {
                    out.printf(Locale.ROOT, "%-" + width + "s  %s%n", key, text(value));
                }
            });
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

    /** Register writes of the data path by its packets, from the statistics of each port that took part. */
    public void putRegisterWrites(long packets, List<? extends Map<String, Long>> statistics) {
        long writes = statistics.stream()
                .mapToLong(port -> port.getOrDefault("rx_doorbells", 0L) + port.getOrDefault("tx_doorbells", 0L)).sum();
        put("MMIO writes per packet", writes / (double) Math.max(1, packets));
    }
}
