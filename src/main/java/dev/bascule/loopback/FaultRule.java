package dev.bascule.loopback;

import java.util.Arrays;
import java.util.Locale;

/**
 * One line of a fault script: which accesses are hit, and how. Written as {@code kind:site[:key=value]...}, for example
 * {@code drop:host-to-nic:offset=0x100-0x13f:message=17:times=2} or {@code corrupt:dma-write:probability=0.01}.
 *
 * @param kind what happens
 * @param site where
 * @param fromOffset first offset hit
 * @param toOffset last offset hit
 * @param firstMessage the first matching access that may be hit, counted from 0
 * @param times how many matching accesses from there on may be hit
 * @param probability how likely each of them is hit, 0 to 1
 * @param amount delay in nanoseconds or distance in messages, see {@link FaultKind}
 */
public record FaultRule(FaultKind kind, FaultSite site, long fromOffset, long toOffset, long firstMessage, long times,
        double probability, long amount) {

    /** Checks the ranges; {@link IllegalArgumentException} if a value is outside. */
    public FaultRule {
        if (fromOffset > toOffset || firstMessage < 0 || times < 1 || amount < 0) {
            throw new IllegalArgumentException("fault rule: empty offset range, or a negative number");
        }
        if (!(probability >= 0 && probability <= 1)) {
            throw new IllegalArgumentException("fault rule: probability " + probability + " is not between 0 and 1");
        }
    }

    /** Hits every access at a site; narrow it with the methods below. */
    public static FaultRule of(FaultKind kind, FaultSite site) {
        return new FaultRule(kind, site, 0, Long.MAX_VALUE, 0, Long.MAX_VALUE, 1, 0);
    }

    /** Only offsets from {@code from} to {@code to}, both included. */
    public FaultRule offsets(long from, long to) {
        return new FaultRule(kind, site, from, to, firstMessage, times, probability, amount);
    }

    /** Only {@code count} matching accesses, starting with number {@code first} (from 0). */
    public FaultRule messages(long first, long count) {
        return new FaultRule(kind, site, fromOffset, toOffset, first, count, probability, amount);
    }

    /** Each only with this probability. */
    public FaultRule likely(double chance) {
        return new FaultRule(kind, site, fromOffset, toOffset, firstMessage, times, chance, amount);
    }

    /** With another delay or distance. */
    public FaultRule by(long distance) {
        return new FaultRule(kind, site, fromOffset, toOffset, firstMessage, times, probability, distance);
    }

    /** Parses the written form; {@link IllegalArgumentException} naming the part that is wrong. */
    public static FaultRule parse(String text) {
        String[] parts = text.strip().split(":", -1);
        if (parts.length < 2) {
            throw bad(text, "it starts with kind:site");
        }
        FaultRule rule = of(constant(FaultKind.class, parts[0], text), constant(FaultSite.class, parts[1], text));
        for (int i = 2; i < parts.length; i++) {
            String[] pair = parts[i].split("=", 2);
            if (pair.length != 2) {
                throw bad(text, "'" + parts[i] + "' is not key=value");
            }
            try {
                rule = rule.with(pair[0], pair[1], text);
            } catch (NumberFormatException e) {
                throw bad(text, "'" + pair[1] + "' is not a number");
            }
        }
        return rule;
    }

    private FaultRule with(String key, String value, String text) {
        return switch (key) {
            case "offset" -> {
                String[] ends = value.split("-", 2);
                yield offsets(Long.decode(ends[0]), Long.decode(ends[ends.length - 1]));
            }
            case "message" -> messages(Long.decode(value), times == Long.MAX_VALUE ? 1 : times);
            case "times" -> messages(firstMessage, Long.decode(value));
            case "probability" -> likely(Double.parseDouble(value));
            case "amount" -> by(Long.decode(value));
            default -> throw bad(text,
                    "unknown key '" + key + "'; known: offset, message, times, probability, amount");
        };
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String name, String text) {
        for (E constant : type.getEnumConstants()) {
            if (written(constant).equals(name)) {
                return constant;
            }
        }
        throw bad(text, "'" + name + "' is none of "
                + Arrays.stream(type.getEnumConstants()).map(FaultRule::written).toList());
    }

    private static String written(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static IllegalArgumentException bad(String text, String why) {
        return new IllegalArgumentException("fault rule '" + text + "': " + why);
    }

    /** The written form. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(written(kind)).append(':').append(site.text());
        if (fromOffset != 0 || toOffset != Long.MAX_VALUE) {
            text.append(":offset=0x").append(Long.toHexString(fromOffset)).append("-0x")
                    .append(Long.toHexString(toOffset));
        }
        if (firstMessage != 0 || times != Long.MAX_VALUE) {
            text.append(":message=").append(firstMessage).append(":times=").append(times);
        }
        if (probability != 1) {
            text.append(":probability=").append(probability);
        }
        return amount == 0 ? text.toString() : text.append(":amount=").append(amount).toString();
    }
}
