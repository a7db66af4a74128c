package dev.bascule.app;

import java.util.BitSet;

/**
 * Parses one regular expression over bytes into a {@link PatternNfa}: literals, {@code .} (not a newline), classes
 * {@code [a-z^]}, {@code \d \w \s}, escapes, groups, {@code | * + ?}. Errors: {@link IllegalArgumentException} with
 * pattern and position.
 */
final class PatternParser {
    private static final int MOST_DEPTH = 100;

    private final PatternNfa nfa;
    private final String pattern;
    private int at;
    private int depth;

    /** A piece of the automaton: where it starts, and the state in which it ends. */
    private record Piece(int start, int end) {}

    private PatternParser(PatternNfa nfa, String pattern) {
        this.nfa = nfa;
        this.pattern = pattern;
    }

    /** Adds a pattern to the automaton; returns its start. Reaching its end is a match of {@code number}. */
    static int parse(PatternNfa nfa, String pattern, int number) {
        PatternParser parser = new PatternParser(nfa, pattern);
        Piece whole = parser.alternatives();
        if (parser.at < pattern.length()) {
            throw parser.error("unexpected '" + pattern.charAt(parser.at) + "'");
        }
        nfa.accept(whole.end, number);
        return whole.start;
    }

    private Piece alternatives() {
        if (++depth > MOST_DEPTH) {
            throw error("groups nested deeper than " + MOST_DEPTH);
        }
        Piece left = sequence();
        while (at < pattern.length() && pattern.charAt(at) == '|') {
            at++;
            Piece right = sequence();
            int end = nfa.state();
            int start = nfa.fork(left.start, right.start);
            nfa.join(left.end, end);
            nfa.join(right.end, end);
            left = new Piece(start, end);
        }
        depth--;
        return left;
    }

    private Piece sequence() {
        int start = nfa.state();
        int end = start;
        while (at < pattern.length() && pattern.charAt(at) != '|' && pattern.charAt(at) != ')') {
            Piece next = repeated();
            nfa.join(end, next.start);
            end = next.end;
        }
        return new Piece(start, end);
    }

    private Piece repeated() {
        Piece piece = atom();
        while (at < pattern.length() && "*+?".indexOf(pattern.charAt(at)) >= 0) {
            char kind = pattern.charAt(at++);
            int end = nfa.state();
            int start = kind == '+' ? piece.start : nfa.fork(piece.start, end);
            nfa.join(piece.end, kind == '?' ? end : nfa.fork(piece.start, end));
            piece = new Piece(start, end);
        }
        return piece;
    }

    private Piece atom() {
        char c = pattern.charAt(at++);
        if (c == '(') {
            Piece inner = alternatives();
            if (at >= pattern.length() || pattern.charAt(at++) != ')') {
                throw error("a group is not closed");
            }
            return inner;
        }
        if ("*+?".indexOf(c) >= 0) {
            at--;
            throw error("nothing before '" + c + "' to repeat");
        }
        BitSet bytes = switch (c) {
            case '.' -> inverted(single('\n'));
            case '[' -> characterClass();
            case '\\' -> escape();
            default -> single(c);
        };
        int start = nfa.state();
        int end = nfa.state();
        nfa.bytes(start, bytes, end);
        return new Piece(start, end);
    }

    private BitSet characterClass() {
        boolean not = at < pattern.length() && pattern.charAt(at) == '^';
        at += not ? 1 : 0;
        BitSet bytes = new BitSet(256);
        boolean first = true;
        while (at < pattern.length() && (first || pattern.charAt(at) != ']')) {
            first = false;
            char from = pattern.charAt(at++);
            if (from == '\\') {
                bytes.or(escape());
            } else if (at + 1 < pattern.length() && pattern.charAt(at) == '-' && pattern.charAt(at + 1) != ']') {
                char to = pattern.charAt(at + 1);
                at += 2;
                if (to < from) {
                    throw error("a range runs backwards");
                }
                bytes.or(single(to));
                bytes.or(single(from));
                bytes.set(from, to + 1);
            } else {
                bytes.or(single(from));
            }
        }
        if (at++ >= pattern.length()) {
            throw error("a class is not closed");
        }
        return not ? inverted(bytes) : bytes;
    }

    private BitSet escape() {
        if (at >= pattern.length()) {
            throw error("nothing after '\\'");
        }
        BitSet bytes = new BitSet(256);
        char c = pattern.charAt(at++);
        switch (c) {
            case 'd' -> bytes.set('0', '9' + 1);
            case 's' -> " \t\r\n\f".chars().forEach(bytes::set);
            case 'n' -> bytes.set('\n');
            case 't' -> bytes.set('\t');
            case 'r' -> bytes.set('\r');
            case 'w' -> {
                bytes.set('0', '9' + 1);
                bytes.set('a', 'z' + 1);
                bytes.set('A', 'Z' + 1);
                bytes.set('_');
            }
            default -> bytes.or(single(c));
        }
        return bytes;
    }

    private BitSet single(char c) {
        if (c > 255) {
            throw error("'" + c + "' is not a byte");
        }
        BitSet bytes = new BitSet(256);
        bytes.set(c);
        return bytes;
    }

    private static BitSet inverted(BitSet bytes) {
        BitSet others = (BitSet) bytes.clone();
        others.flip(0, 256);
        return others;
    }

    private IllegalArgumentException error(String what) {
        return new IllegalArgumentException("pattern \"" + pattern + "\", character " + at + ": " + what);
    }
}
