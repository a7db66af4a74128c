package dev.bascule.app;

import dev.bascule.app.PatternNfa.Guard;
import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses one regular expression over bytes into a {@link PatternNfa}: literals, {@code .} (not a newline), classes
 * {@code [a-z^]} and {@code [[:alpha:]]}, {@code \d \D \w \W \s \S \n \t \r \f \xHH}, escaped signs, groups
 * {@code ( (?: (?P<name>}, {@code | * + ? {n} {n,} {n,m}} and their lazy forms, {@code ^ $} (of a line) and {@code \b \B}.
 * Nothing else is misread: it is an {@link IllegalArgumentException} with pattern and position. In loose form look-aheads
 * and look-behinds are taken for met and of {@code (?(group)a|b)} both branches are possible, so that more may match.
 */
final class PatternParser {
    static final BitSet WORD = of("09AZaz__");
    private static final BitSet DIGIT = of("09");
    private static final BitSet SPACE = of("\t\r  ");
    private static final int MOST_DEPTH = 100;
    private static final Pattern GROUP_NAME = Pattern.compile("\\?P?<\\w+>");
    private static final Pattern CHOICE = Pattern.compile("\\?\\(\\w+\\)");

    private final PatternNfa nfa;
    private final String pattern;
    private int at;
    private final boolean loose;
    private int depth;

    /** A piece of the automaton: where it starts, and the state in which it ends. */
    private record Piece(int start, int end) {}

    private PatternParser(PatternNfa nfa, String pattern, boolean loose) {
        this.nfa = nfa;
        this.loose = loose;
        this.pattern = pattern;
    }

    /** Adds a pattern to the automaton; returns its start. Reaching its end is a match of {@code number}. */
    static int parse(PatternNfa nfa, String pattern, int number, boolean loose) {
        PatternParser parser = new PatternParser(nfa, pattern, loose);
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
        int from = at;
        Piece piece = atom();
        if (at == pattern.length() || "*+?{".indexOf(pattern.charAt(at)) < 0) {
            return piece;
        }
        char kind = pattern.charAt(at++);
        if (kind == '{') {
            piece = counted(from, piece);
        } else {
            piece = repeat(piece, kind);
        }
        if (at < pattern.length() && pattern.charAt(at) == '?') {
            at++; // as few as possible: the same ends of matches
        } else if (at < pattern.length() && "*+{".indexOf(pattern.charAt(at)) >= 0) {
            throw error("'" + pattern.charAt(at) + "' behind another repetition");
        }
        return piece;
    }

    private Piece repeat(Piece piece, char kind) {
        int end = nfa.state();
        int start = kind == '+' ? piece.start : nfa.fork(piece.start, end);
        nfa.join(piece.end, kind == '?' ? end : nfa.fork(piece.start, end));
        return new Piece(start, end);
    }

    /** Repeats a piece as counted; what lies between {@code from} and the brace is read again for each copy. */
    private Piece counted(int from, Piece first) {
        int least = number();
        boolean open = false;
        int most = least;
        if (at < pattern.length() && pattern.charAt(at) == ',') {
            at++;
            open = at < pattern.length() && pattern.charAt(at) == '}';
            most = open ? Math.max(1, least) : number();
        }
        if (at == pattern.length() || pattern.charAt(at) != '}' || most < least || most == 0) {
            throw error("'{' begins no count like {2}, {2,} or {2,5}; the sign itself is \\{");
        }
        int after = at + 1;
        int start = nfa.state();
        int end = start;
        for (int i = 0; i < most; i++) {
            at = from;
            Piece copy = i == 0 ? first : atom();
            if (open && i == most - 1) {
                copy = repeat(copy, least == 0 ? '*' : '+');
            } else if (i >= least) {
                copy = repeat(copy, '?');
            }
            nfa.join(end, copy.start);
            end = copy.end;
        }
        at = after;
        return new Piece(start, end);
    }

    private int number() {
        int start = at;
        while (at < pattern.length() && at - start < 4 && Character.digit(pattern.charAt(at), 10) >= 0) {
            at++;
        }
        if (at == start || at - start == 4) {
            throw error("'{' begins no count of at most 999; the sign itself is \\{");
        }
        return Integer.parseInt(pattern.substring(start, at));
    }

    private Piece atom() {
        char c = pattern.charAt(at++);
        if (c == '(') {
            return group();
        }
        if ("*+?{".indexOf(c) >= 0) {
            at--;
            throw error("nothing before '" + c + "' to repeat");
        }
        if (c == '^' || c == '$') {
            return guard(c == '^' ? Guard.LINE_START : Guard.LINE_END);
        }
        if (c == '\\' && at < pattern.length() && Character.toLowerCase(pattern.charAt(at)) == 'b') {
            return guard(pattern.charAt(at++) == 'b' ? Guard.WORD_EDGE : Guard.NO_WORD_EDGE);
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

    private Piece guard(Guard guard) {
        int start = nfa.state();
        int end = nfa.state();
        nfa.guard(start, guard, end);
        return new Piece(start, end);
    }

    /** Behind the parenthesis. */
    private Piece group() {
        boolean condition = false;
        if (!skip("?:") && !skipped(GROUP_NAME)) {
            condition = skip("?=") || skip("?!") || skip("?<=") || skip("?<!");
            if (pattern.startsWith("?", at) && !condition && !skipped(CHOICE)) {
                throw error("a group that begins with (" + pattern.substring(at, Math.min(at + 2, pattern.length()))
                        + " is not supported");
            }
            if (!loose && (condition || pattern.charAt(at - 1) == ')')) {
                throw error(
                        "a look-ahead, look-behind or choice by a group is only possible in a loose set, which takes it for met");
            }
        }
        Piece inner = alternatives();
        if (at >= pattern.length() || pattern.charAt(at++) != ')') {
            throw error("a group is not closed");
        }
        if (condition) {
            int nothing = nfa.state();
            return new Piece(nothing, nothing);
        }
        return inner;
    }

    private boolean skip(String text) {
        boolean is = pattern.startsWith(text, at);
        at += is ? text.length() : 0;
        return is;
    }

    private boolean skipped(Pattern beginning) {
        Matcher matcher = beginning.matcher(pattern).region(at, pattern.length());
        boolean is = matcher.lookingAt();
        at = is ? matcher.end() : at;
        return is;
    }

    private BitSet characterClass() {
        boolean not = at < pattern.length() && pattern.charAt(at) == '^';
        at += not ? 1 : 0;
        BitSet bytes = new BitSet(256);
        boolean first = true;
        while (at < pattern.length() && (first || pattern.charAt(at) != ']')) {
            first = false;
            char from = pattern.charAt(at++);
            if (from == '[' && at < pattern.length() && pattern.charAt(at) == ':') {
                bytes.or(named());
            } else if (from == '\\') {
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
            case 'd' -> bytes.or(DIGIT);
            case 's' -> bytes.or(SPACE);
            case 'w' -> bytes.or(WORD);
            case 'D' -> bytes.or(inverted(DIGIT));
            case 'S' -> bytes.or(inverted(SPACE));
            case 'W' -> bytes.or(inverted(WORD));
            case 'n' -> bytes.set('\n');
            case 't' -> bytes.set('\t');
            case 'r' -> bytes.set('\r');
            case 'f' -> bytes.set('\f');
            case 'x' -> bytes.set(hex());
            default -> {
                if (c < 128 && Character.isLetterOrDigit(c)) {
                    throw error("\\" + c + " is not supported");
                }
                bytes.or(single(c));
            }
        }
        return bytes;
    }

    private int hex() {
        int value = at + 2 <= pattern.length()
                ? Character.digit(pattern.charAt(at), 16) << 4 | Character.digit(pattern.charAt(at + 1), 16)
                : -1;
        if (value < 0) {
            throw error("two hexadecimal digits are missing behind \\x");
        }
        at += 2;
        return value;
    }

    /** A class within a class: [:alpha:] and the like, of ASCII. */
    private BitSet named() {
        int end = pattern.indexOf(":]", at);
        String name = end < 0 ? "" : pattern.substring(at + 1, end);
        BitSet bytes = switch (name) {
            case "alpha" -> of("AZaz");
            case "digit" -> of("09");
            case "alnum" -> of("09AZaz");
            case "upper" -> of("AZ");
            case "lower" -> of("az");
            case "space" -> SPACE;
            case "blank" -> of("\t\t  ");
            case "punct" -> of("!/:@[`{~");
            case "xdigit" -> of("09AFaf");
            case "word" -> WORD;
            case "print" -> of(" ~");
            case "graph" -> of("!~");
            case "cntrl" -> of("\0\37\177\177");
            default -> throw error("no class of bytes is called [:" + name + ":]");
        };
        at = end + 2;
        return bytes;
    }

    /** Ranges, two letters each. */
    private static BitSet of(String ranges) {
        BitSet bytes = new BitSet(256);
        for (int i = 0; i < ranges.length(); i += 2) {
            bytes.set(ranges.charAt(i), ranges.charAt(i + 1) + 1);
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
