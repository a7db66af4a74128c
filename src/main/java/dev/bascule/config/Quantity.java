package dev.bascule.config;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers with a unit: {@code 750 ns}, {@code 1.6 us}, {@code 4 MiB}. */
final class Quantity {
    /** Nanoseconds per unit, smallest first. */
    static final Map<String, Long> DURATION_UNITS = ordered("ns", 1L, "us", 1_000L, "ms", 1_000_000L, "s",
            1_000_000_000L);
    /** Bytes per unit, smallest first. */
    static final Map<String, Long> BYTE_UNITS = ordered("B", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30);

    private static final Pattern NUMBER = Pattern.compile("([+-]?[0-9][0-9_]*(?:\\.[0-9]+)?)\\s*([^\\s0-9]\\S*)?");

    private Quantity() {}

    /** Thrown with a message that says what to write; the reader adds the place. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }
    }

    /** Reads a number and its unit as a whole number of the smallest unit. Zero needs no unit. */
    static long parse(String text, Map<String, Long> units) throws Malformed {
        Matcher m = NUMBER.matcher(text.strip());
        if (!m.matches()) {
            throw new Malformed("expected a number with a unit (" + example(units) + "), found '" + text + "'");
        }
        String unit = m.group(2);
        if (unit == null) {
            if (new BigDecimal(digits(m.group(1))).signum() == 0) {
                return 0;
            }
            throw new Malformed("'" + text + "' has no unit; write for example " + example(units));
        }
        return scale(m.group(1), unit, units);
    }

    /** Scales a number whose unit is given apart. */
    static long scale(String number, String unit, Map<String, Long> units) throws Malformed {
        Long factor = units.get(unit);
        if (factor == null) {
            String guess = units.keySet().stream().filter(u -> u.equalsIgnoreCase(unit)).findFirst()
                    .map(u -> "; did you mean " + u + "?").orElse("");
            throw new Malformed("unknown unit '" + unit + "'; one of " + String.join(", ", units.keySet()) + guess);
        }
        try {
            return new BigDecimal(digits(number)).multiply(BigDecimal.valueOf(factor)).longValueExact();
        } catch (NumberFormatException e) {
            throw new Malformed("expected a number, found '" + number + "'");
        } catch (ArithmeticException e) {
            String smallest = units.keySet().iterator().next();
            throw new Malformed(number + " " + unit + " is not a whole number of " + smallest + " in 63 bits");
        }
    }

    /** Writes a duration in the largest unit that keeps it whole, or bytes likewise. */
    static String print(long value, Map<String, Long> units) {
        String best = units.keySet().iterator().next();
        for (Map.Entry<String, Long> unit : units.entrySet()) {
            if (value != 0 && value % unit.getValue() == 0) {
                best = unit.getKey();
            }
        }
        return value / units.getOrDefault(best, 1L) + " " + best;
    }

    private static String digits(String number) {
        return number.replace("_", "");
    }

    private static String example(Map<String, Long> units) {
        return units.containsKey("ns") ? "750 ns" : "4 MiB";
    }

    private static Map<String, Long> ordered(Object... pairs) {
        Map<String, Long> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put((String) pairs[i], (Long) pairs[i + 1]);
        }
        return Collections.unmodifiableMap(map);
    }
}
