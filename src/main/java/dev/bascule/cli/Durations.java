package dev.bascule.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times on the command line: a number with ns, us, ms or s. */
final class Durations {
    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)(ns|us|ms|s)");

    private Durations() {}

    static long parseNanos(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no time; write a number with ns, us, ms or s, as 50us");
        }
        double unit = switch (matcher.group(2)) {
            case "s" -> 1e9;
            case "ms" -> 1e6;
            case "us" -> 1e3;
            default -> 1;
        };
        return Math.round(Double.parseDouble(matcher.group(1)) * unit);
    }
}
