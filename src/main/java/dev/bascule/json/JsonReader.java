package dev.bascule.json;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A strict reader of one JSON text. Objects become maps in order, arrays lists, integers {@link Long}s, other numbers
 * {@link Double}s. Refused: anything after the value, a name twice in one object, nesting deeper than 64. One thread
 * per call.
 */
public final class JsonReader {
    private static final int MAX_DEPTH = 64;
    private static final int MOST_DIGITS = 400;

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    /** The value that the whole text is. */
    public static @Nullable Object parse(String text) throws JsonFormatException {
        JsonReader reader = new JsonReader(text);
        Object value = reader.value(0);
        reader.skipSpace();
        if (reader.at < text.length()) {
            throw reader.wrong("the end");
        }
        return value;
    }

    private @Nullable Object value(int depth) throws JsonFormatException {
        if (depth > MAX_DEPTH) {
            throw wrong("less nesting");
        }
        skipSpace();
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, @Nullable Object> object(int depth) throws JsonFormatException {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        at++;
        if (endsAtOnce('}')) {
            return fields;
        }
        do {
            skipSpace();
            String name = string();
            skipSpace();
            expect(':');
            if (fields.containsKey(name)) {
                throw wrong("another name than \"" + name + "\" again");
            }
            fields.put(name, value(depth + 1));
        } while (goesOn('}'));
        return fields;
    }

    private List<@Nullable Object> array(int depth) throws JsonFormatException {
        List<@Nullable Object> items = new ArrayList<>();
        at++;
        if (endsAtOnce(']')) {
            return items;
        }
        do {
            items.add(value(depth + 1));
        } while (goesOn(']'));
        return items;
    }

    private boolean endsAtOnce(char end) throws JsonFormatException {
        skipSpace();
        if (peek() != end) {
            return false;
        }
        at++;
        return true;
    }

    private boolean goesOn(char end) throws JsonFormatException {
        skipSpace();
        char next = peek();
        if (next != ',' && next != end) {
            throw wrong("',' or '" + end + "'");
        }
        at++;
        return next == ',';
    }

    private String string() throws JsonFormatException {
        expect('"');
        int end = at;
        while (end < text.length() && text.charAt(end) != '"' && text.charAt(end) != '\\'
                && text.charAt(end) >= ' ') {
            end++;
        }
        String plain = text.substring(at, end);
        at = end;
        return peek() == '"' ? finish(plain) : escaped(new StringBuilder(plain));
    }

    private String finish(String plain) {
        at++;
        return plain;
    }

    private String escaped(StringBuilder out) throws JsonFormatException {
        while (peek() != '"') {
            char c = text.charAt(at++);
            if (c < ' ') {
                throw wrong("no control character in a string");
            }
            out.append(c == '\\' ? escape() : c);
        }
        at++;
        return out.toString();
    }

    private char escape() throws JsonFormatException {
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw wrong("a known escape");
        };
    }

    private char unicode() throws JsonFormatException {
        if (at + 4 > text.length()) {
            throw wrong("four hex digits");
        }
        int code = 0;
        for (int i = 0; i < 4; i++) {
            char digit = text.charAt(at++);
            if (!HexFormat.isHexDigit(digit)) {
                throw wrong("four hex digits");
            }
            code = code << 4 | HexFormat.fromHexDigit(digit);
        }
        return (char) code;
    }

    private @Nullable Object word(String word, @Nullable Object value) throws JsonFormatException {
        if (!text.startsWith(word, at)) {
            throw wrong("a value");
        }
        at += word.length();
        return value;
    }

    private Object number() throws JsonFormatException {
        int start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        if (at - start > MOST_DIGITS) {
            at = start;
            throw wrong("a number of at most " + MOST_DIGITS + " characters");
        }
        String digits = text.substring(start, at);
        if (!digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            at = start;
            throw wrong("a value");
        }
        try {
            return digits.matches("-?[0-9]+") ? (Object) Long.valueOf(digits) : Double.valueOf(digits);
        } catch (NumberFormatException e) {
            at = start;
            throw wrong("a number of 64 bits");
        }
    }

    private void expect(char c) throws JsonFormatException {
        if (peek() != c) {
            throw wrong("'" + c + "'");
        }
        at++;
    }

    private char peek() throws JsonFormatException {
        if (at >= text.length()) {
            throw wrong("more");
        }
        return text.charAt(at);
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private JsonFormatException wrong(String expected) {
        return new JsonFormatException(at + 1, expected);
    }
}
