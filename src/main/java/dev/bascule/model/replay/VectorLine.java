package dev.bascule.model.replay;

import dev.bascule.json.JsonFormatException;
import dev.bascule.json.JsonReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One line of a recorded run: a JSON object with an operation in {@code op}. The getters are strict: a missing field,
 * or one of another kind, is a {@link VectorFormatException} that names the line and the field.
 */
public final class VectorLine {
    private final int number;
    private final Map<String, @Nullable Object> fields;

    private VectorLine(int number, Map<String, @Nullable Object> fields) {
        this.number = number;
        this.fields = fields;
    }

    /** Parses one line; {@code number} counts from 1. */
    @SuppressWarnings("unchecked")
    public static VectorLine parse(String text, int number) {
        try {
            if (!(JsonReader.parse(text) instanceof Map<?, ?> fields)) {
                throw new VectorFormatException(number, "expected an object");
            }
            return new VectorLine(number, (Map<String, @Nullable Object>) fields);
        } catch (JsonFormatException e) {
            throw new VectorFormatException(number, e.reason());
        }
    }

    /** Hands every line that is not blank to {@code consumer}. */
    public static void forEach(BufferedReader reader, Consumer<VectorLine> consumer) throws IOException {
        int number = 0;
        for (String text = reader.readLine(); text != null; text = reader.readLine()) {
            number++;
            if (!text.isBlank()) {
                consumer.accept(parse(text, number));
            }
        }
    }

    /** The line's number, from 1. */
    public int number() {
        return number;
    }

    /** The operation. */
    public String op() {
        return text("op");
    }

    /** Whether the field is there. */
    public boolean has(String field) {
        return fields.containsKey(field);
    }

    /** The field as parsed: String, Long, Double, Boolean, List, Map or null. */
    public @Nullable Object get(String field) {
        if (!has(field)) {
            throw wrong(field, "is missing");
        }
        return fields.get(field);
    }

    /** A string. */
    public String text(String field) {
        return get(field) instanceof String text ? text : fail(field, "is not a string");
    }

    /** A truth value. */
    public boolean flag(String field) {
        return get(field) instanceof Boolean flag ? flag : fail(field, "is not true or false");
    }

    /** A truth value, or {@code other} when the field is missing. */
    public boolean flag(String field, boolean other) {
        return has(field) ? flag(field) : other;
    }

    /** A 64-bit number: a JSON integer, or a string with 0x and up to 16 hex digits (unsigned). */
    public long number(String field) {
        Object value = get(field);
        if (value instanceof Long number) {
            return number;
        }
        if (value instanceof String text && text.startsWith("0x")) {
            try {
                return Long.parseUnsignedLong(text, 2, text.length(), 16);
            } catch (NumberFormatException e) {
                throw wrong(field, "is not a hex number of 64 bits");
            }
        }
        throw wrong(field, "is not a number");
    }

    /** A number from {@code least} to {@code most}. */
    public int number(String field, int least, int most) {
        long value = number(field);
        if (value < least || value > most) {
            throw wrong(field, "is " + value + ", not between " + least + " and " + most);
        }
        return (int) value;
    }

    /** Bytes in hex, possibly with unspecified nibbles. */
    public HexPattern hex(String field) {
        try {
            return HexPattern.parse(text(field));
        } catch (IllegalArgumentException e) {
            throw wrong(field, String.valueOf(e.getMessage()));
        }
    }

    /** The exception for a problem of this line. */
    public VectorFormatException wrong(String field, String problem) {
        return new VectorFormatException(number, "field '" + field + "' " + problem);
    }

    private <T> T fail(String field, String problem) {
        throw wrong(field, problem);
    }
}
