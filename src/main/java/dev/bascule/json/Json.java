package dev.bascule.json;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A small JSON writer. An object keeps the order in which its keys were put; a key twice, and NaN or Infinity, are
 * refused with {@link IllegalArgumentException}. Not thread-safe.
 */
public final class Json {
    private Json() {}

    /** An empty object. */
    public static Obj object() {
        return new Obj();
    }

    /** An empty array. */
    public static Arr array() {
        return new Arr();
    }

    /** An object with a text for each key. */
    public static Obj object(Map<String, String> texts) {
        Obj object = new Obj();
        texts.forEach(object::put);
        return object;
    }

    /** An array with an object for each item. */
    public static <T> Arr array(Collection<T> items, Function<? super T, Obj> describe) {
        Arr array = new Arr();
        items.forEach(item -> array.add(describe.apply(item)));
        return array;
    }

    /** An array with each item's text. */
    public static Arr texts(Collection<?> items) {
        Arr array = new Arr();
        items.forEach(item -> array.add(String.valueOf(item)));
        return array;
    }

    /** The key for words, joined as JSON's keys are here: {@code REQUESTS_SERVED} becomes {@code requestsServed}. */
    public static String key(String words) {
        StringBuilder key = new StringBuilder();
        for (String word : words.toLowerCase(Locale.ROOT).split("[^a-z0-9]+")) {
            key.append(
                    key.isEmpty() || word.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return key.toString();
    }

    /** An object under construction. */
    public static final class Obj {
        private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

        private Obj() {}

        /** Puts a whole number. */
        public Obj put(String key, long value) {
            return add(key, value);
        }

        /** Puts a number; NaN and Infinity are refused. */
        public Obj put(String key, double value) {
            return add(key, finite(value, key));
        }

        /**
         * Puts a figure of a report: null if it is not finite, so not known, else rounded to a millionth.
         *
         * @param whole whether a value without fraction is written as a whole number
         */
        public Obj putFigure(String key, double value, boolean whole) {
            if (!Double.isFinite(value)) {
                return putNull(key);
            }
            return whole && value == Math.rint(value)
                    ? put(key, (long) value)
                    : put(key, Math.round(value * 1e6) / 1e6);
        }

        /** Puts a text; null stays null. */
        public Obj put(String key, @Nullable String value) {
            return add(key, value);
        }

        /** Puts true or false. */
        public Obj put(String key, boolean value) {
            return add(key, value);
        }

        /** Puts an object. */
        public Obj put(String key, Obj value) {
            return add(key, value);
        }

        /** Puts an array. */
        public Obj put(String key, Arr value) {
            return add(key, value);
        }

        /** Puts null: known to be unknown. */
        public Obj putNull(String key) {
            return add(key, null);
        }

        private Obj add(String key, @Nullable Object value) {
            if (fields.containsKey(key)) {
                throw new IllegalArgumentException("JSON key twice: " + key);
            }
            fields.put(key, value);
            return this;
        }

        /** Indented, with a line end at its end. */
        public String pretty() {
            StringBuilder out = new StringBuilder();
            write(out, this, 0);
            return out.append('\n').toString();
        }

        /** On one line, without a line end. */
        @Override
        public String toString() {
            StringBuilder out = new StringBuilder();
            write(out, this, -1);
            return out.toString();
        }
    }

    /** An array under construction. */
    public static final class Arr {
        private final List<Object> items = new ArrayList<>();

        private Arr() {}

        /** Adds a whole number. */
        public Arr add(long value) {
            items.add(value);
            return this;
        }

        /** Adds a number; NaN and Infinity are refused. */
        public Arr add(double value) {
            items.add(finite(value, "array item"));
            return this;
        }

        /** Adds a text. */
        public Arr add(String value) {
            items.add(value);
            return this;
        }

        /** Adds an object. */
        public Arr add(Obj value) {
            items.add(value);
            return this;
        }
    }

    private static double finite(double value, String what) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("JSON has no " + value + " (" + what + ")");
        }
        return value;
    }

    /** Writes a value; {@code depth} below 0 means on one line. */
    private static void write(StringBuilder out, @Nullable Object value, int depth) {
        switch (value) {
            case Obj object -> writeFields(out, object, depth);
            case Arr array -> writeItems(out, array, depth);
            case String text -> quote(out, text);
            case null, default -> out.append(value);
        }
    }

    private static void writeFields(StringBuilder out, Obj object, int depth) {
        out.append('{');
        boolean first = true;
        for (Map.Entry<String, @Nullable Object> field : object.fields.entrySet()) {
            out.append(first ? "" : ",");
            newLine(out, depth < 0 ? depth : depth + 1);
            quote(out, field.getKey());
            out.append(depth < 0 ? ":" : ": ");
            write(out, field.getValue(), depth < 0 ? depth : depth + 1);
            first = false;
        }
        newLine(out, first ? -1 : depth);
        out.append('}');
    }

    private static void writeItems(StringBuilder out, Arr array, int depth) {
        out.append('[');
        boolean first = true;
        for (Object item : array.items) {
            out.append(first ? "" : ",");
            newLine(out, depth < 0 ? depth : depth + 1);
            write(out, item, depth < 0 ? depth : depth + 1);
            first = false;
        }
        newLine(out, first ? -1 : depth);
        out.append(']');
    }

    private static void newLine(StringBuilder out, int depth) {
        if (depth >= 0) {
            out.append('\n').append("  ".repeat(depth));
        }
    }

    /** A text with what JSON wants escaped, and lone surrogates, which UTF-8 cannot carry. */
    private static void quote(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < 0x20 || isLoneSurrogate(text, i)) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    private static boolean isLoneSurrogate(String text, int i) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
        }
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
    }
}
