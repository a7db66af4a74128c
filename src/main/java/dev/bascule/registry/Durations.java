package dev.bascule.registry;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times as users write them: a number with ns, us, ms or s. */
public final class Durations {
    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)(ns|us|ms|s)");

    private Durations() {}

    /**
     * The time in ns.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static long parseNanos(String text) {
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
