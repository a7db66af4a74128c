package dev.bascule.registry;

import java.util.Arrays;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** The options of a shipped policy, as typed values; a value that is none is an error that names its key. */
final class PolicyOptions {
    private final String policy;
    private final Map<String, String> values;

    /** With a value for every key of the policy. */
    PolicyOptions(String policy, Map<String, String> values) {
        this.policy = policy;
        this.values = values;
    }

    private String text(String key) {
        String text = values.getOrDefault(key, "");
        if (text.isEmpty()) {
            throw new IllegalArgumentException("policy " + policy + ": its option " + key
                    + " is missing; give it with --policy-option " + key + "=..");
        }
        return text;
    }

    long nanos(String key) {
        return parse(key, Durations::parseNanos);
    }

    long whole(String key) {
        return parse(key, Long::parseLong);
    }

    /** Whether it is the first of two words. */
    boolean isFirst(String key, String first, String second) {
        String text = text(key);
        if (!text.equals(first) && !text.equals(second)) {
            throw bad(key, text, new IllegalArgumentException("say " + first + " or " + second));
        }
        return text.equals(first);
    }

    private long parse(String key, ToLongFunction<String> parser) {
        String text = text(key);
        try {
            return parser.applyAsLong(text);
        } catch (IllegalArgumentException e) {
            throw bad(key, text, e);
        }
    }

    /** Times with colons between them. */
    long[] allNanos(String key) {
        String text = text(key);
        try {
            return Arrays.stream(text.split(":", -1)).mapToLong(Durations::parseNanos).toArray();
        } catch (IllegalArgumentException e) {
            throw bad(key, text, e);
        }
    }

    /** Numbers with colons between them. */
    double[] allNumbers(String key) {
        String text = text(key);
        ToDoubleFunction<String> parser = Double::parseDouble;
        try {
            return Arrays.stream(text.split(":", -1)).mapToDouble(parser).toArray();
        } catch (IllegalArgumentException e) {
            throw bad(key, text, e);
        }
    }

    private IllegalArgumentException bad(String key, String text, IllegalArgumentException why) {
        String reason = why instanceof NumberFormatException ? "'" + text + "' is no number" : why.getMessage();
        return new IllegalArgumentException("policy " + policy + ": option " + key + "=" + text + ": " + reason, why);
    }
}
