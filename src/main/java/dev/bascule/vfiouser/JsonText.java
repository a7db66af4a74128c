package dev.bascule.vfiouser;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A strict reader of JSON (RFC 8259) for version messages: objects become maps, arrays lists, integers {@link Long},
 * other numbers {@link Double}, {@code null} an object of its own. Bounded depth; anything malformed is refused.
 */
final class JsonText {
    /** What {@code null} becomes. */
    static final Object NULL = new Object();

    private static final int MAX_DEPTH = 16;

    private final String text;
    private int at;

    private JsonText(String text) {
        this.text = text;
    }

    /** The value that the whole text is. */
    static Object parse(String text) throws Refusal {
        JsonText reader = new JsonText(text);
        Object value = reader.value(0);
        reader.space();
        if (reader.at != text.length()) {
            throw reader.bad("something after the value");
        }
        return value;
    }

    private Object value(int depth) throws Refusal {
        space();
        if (depth > MAX_DEPTH) {
            throw bad("nested too deeply");
        }
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", NULL);
            default -> number();
        };
    }

    private Map<String, Object> object(int depth) throws Refusal {
        Map<String, Object> members = new LinkedHashMap<>();
        at++;
        space();
        if (peek() == '}') {
            at++;
            return members;
        }
        while (true) {
            space();
            String name = string();
            space();
            expect(':');
            if (members.put(name, value(depth + 1)) != null) {
                throw bad("the name '" + name + "' twice");
            }
            space();
            if (peek() == '}') {
                at++;
                return members;
            }
            expect(',');
        }
    }

    private List<Object> array(int depth) throws Refusal {
        List<Object> items = new ArrayList<>();
        at++;
        space();
        if (peek() == ']') {
            at++;
            return items;
        }
        while (true) {
            items.add(value(depth + 1));
            space();
            if (peek() == ']') {
                at++;
                return items;
            }
            expect(',');
        }
    }

    private String string() throws Refusal {
        expect('"');
        StringBuilder out = new StringBuilder();
        while (peek() != '"') {
            char c = text.charAt(at++);
            if (c < 0x20) {
                throw bad("a control character in a string");
            }
            out.append(c == '\\' ? escape() : c);
        }
        at++;
        return out.toString();
    }

    private char escape() throws Refusal {
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
            default -> throw bad("an unknown escape");
        };
    }

    private char unicode() throws Refusal {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(peek(), 16);
            if (digit < 0 || peek() > 'f') {
                throw bad("a bad \\u escape");
            }
            value = value << 4 | digit;
            at++;
        }
        return (char) value;
    }

    private Object number() throws Refusal {
        int start = at;
        if (peek() == '-') {
            at++;
        }
        int digits = digits();
        if (digits > 1 && text.charAt(at - digits) == '0') {
            throw bad("a leading zero");
        }
        boolean whole = true;
        if (at < text.length() && text.charAt(at) == '.') {
            at++;
            digits();
            whole = false;
        }
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            digits();
            whole = false;
        }
        String number = text.substring(start, at);
        try {
            return whole ? (Object) Long.valueOf(number) : (Object) Double.valueOf(number);
        } catch (NumberFormatException e) {
            throw bad("a number out of range");
        }
    }

    private int digits() throws Refusal {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == start) {
            throw bad("no digit where one belongs");
        }
        return at - start;
    }

    private Object word(String word, Object value) throws Refusal {
        if (!text.startsWith(word, at)) {
            throw bad("an unknown word");
        }
        at += word.length();
        return value;
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() throws Refusal {
        if (at >= text.length()) {
            throw bad("the end too early");
        }
        return text.charAt(at);
    }

    private void expect(char wanted) throws Refusal {
        if (peek() != wanted) {
            throw bad("no '" + wanted + "' where one belongs");
        }
        at++;
    }

    private Refusal bad(String what) {
        return Refusal.invalid("JSON has " + what + " at character " + at);
    }
}
