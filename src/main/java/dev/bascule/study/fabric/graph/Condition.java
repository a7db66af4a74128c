package dev.bascule.study.fabric.graph;

import dev.bascule.study.fabric.Match;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When an item takes an edge: a big-endian number in it, its length or its number in the stream, compared with a constant.
 *
 * @param subject {@code u8}, {@code u16}, {@code u32}, {@code length} or {@code sequence}
 * @param offset of a number in the item
 * @param test how
 * @param value with what
 */
record Condition(String subject, int offset, Match.Test test, long value) {
    private static final Pattern FORM = Pattern.compile(
            "(?:(u8|u16|u32)\\s+at\\s+(\\d{1,5})|(length|sequence))\\s*(==|!=|<|>=)\\s*(0x[0-9a-fA-F]{1,8}|\\d{1,10})");

    static final String HINT = "write 'u8|u16|u32 at OFFSET ==|!=|<|>= NUMBER', or 'length' or 'sequence' in place of the"
            + " number's place";

    static Optional<Condition> parse(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches()) {
            return Optional.empty();
        }
        String number = form.group(5);
        long value = number.startsWith("0x") ? Long.parseLong(number.substring(2), 16) : Long.parseLong(number);
        Match.Test test = Match.Test.EQ;
        for (Match.Test each : Match.Test.values()) {
            test = each.sign().equals(form.group(4)) ? each : test;
        }
        return Optional.of(form.group(3) != null
                ? new Condition(form.group(3), 0, test, value)
                : new Condition(form.group(1), Integer.parseInt(form.group(2)), test, value));
    }

    boolean isInItem() {
        return subject.startsWith("u");
    }

    int widthBytes() {
        return Integer.parseInt(subject.substring(1)) / 8;
    }
}
