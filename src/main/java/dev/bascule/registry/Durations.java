package dev.bascule.registry;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times as users write them: a number with ns, us, ms, s, m (minutes) or h. */
public final class Durations {
    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)(ns|us|ms|s|m|h)");

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
                    "'" + text + "' is no time; write a number with ns, us, ms, s, m or h, as 50us");
        }
        double unit = switch (matcher.group(2)) {
            case "h" -> 3600e9;
            case "m" -> 60e9;
            case "s" -> 1e9;
            case "ms" -> 1e6;
            case "us" -> 1e3;
            default -> 1;
        };
        double nanos = Double.parseDouble(matcher.group(1)) * unit;
        if (nanos >= Long.MAX_VALUE) {
            throw new IllegalArgumentException("a time of more than 292 years");
        }
        return Math.round(nanos);
    }

    /** A time of seconds and more for people: {@code 12 s}, {@code 5 min}, {@code 3 h}, {@code 40 days}, {@code 54 years}. */
    public static String ofLong(long nanos) {
        long seconds = nanos / 1_000_000_000L;
        if (seconds < 2 * 60) {
            return seconds + " s";
        } else if (seconds < 2 * 3600) {
            return seconds / 60 + " min";
        } else if (seconds < 2 * 86400) {
            return seconds / 3600 + " h";
        }
        long days = seconds / 86400;
        return days < 2 * 365 ? days + " days" : days / 365 + " years";
    }
}
