package dev.bascule.run;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * Shows what a terminal would obey: control characters and marks that turn the direction of writing become
 * {@code \}{@code u001b} and the like. New lines and tabs stay.
 */
public final class TerminalEscapes {
    private TerminalEscapes() {}

    /** The text as it may be printed. */
    static String shown(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            append(shown, text.charAt(i));
        }
        return shown.toString();
    }

    private static void append(StringBuilder out, char c) {
        if (isCommand(c)) {
            out.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
        } else {
            out.append(c);
        }
    }

    private static boolean isCommand(char c) {
        return c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 || c == 0x061c || c == 0x200e || c == 0x200f
                || c >= 0x2028 && c <= 0x202e || c >= 0x2066 && c <= 0x2069;
    }

    /** A writer that shows all that goes through it. */
    public static PrintWriter showing(PrintWriter out) {
        return new PrintWriter(new Showing(out));
    }

    private static final class Showing extends FilterWriter {
        Showing(Writer out) {
            super(out);
        }

        @Override
        public void write(int c) throws IOException {
            write(String.valueOf((char) c), 0, 1);
        }

        @Override
        public void write(char[] from, int at, int length) throws IOException {
            write(new String(from, at, length), 0, length);
        }

        @Override
        public void write(String text, int at, int length) throws IOException {
            out.write(shown(text.substring(at, at + length)));
        }
    }
}
