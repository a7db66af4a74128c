package dev.bascule.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Figures of a run's JSON by their names, added up over its load points. */
final class RunJson {
    private final String json;

    RunJson(String json) {
        this.json = json;
    }

    long sum(String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\": (\\d+)").matcher(json);
        long sum = 0;
        boolean found = false;
        while (matcher.find()) {
            found = true;
            sum += Long.parseLong(matcher.group(1));
        }
        if (!found) {
            throw new AssertionError("no " + name + " in " + json);
        }
        return sum;
    }
}
