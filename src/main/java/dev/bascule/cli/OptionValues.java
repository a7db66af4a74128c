package dev.bascule.cli;

import dev.bascule.ffi.NearestWord;
import dev.bascule.registry.Durations;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.run.OutputFile;
import java.lang.reflect.AnnotatedElement;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Door through which the values of all options go: those with a {@link Range}, {@link OneOf} or
 * {@link OutputFile.AtEnd} are checked here.
 */
final class OptionValues {
    private OptionValues() {}

    /**
     * Throws {@link Misuse} for the first value that is not allowed, and {@link Failure} for a file that could not be
     * written at the end; nothing has been opened yet.
     */
    static void check(ParseResult words) {
        for (CommandLine command : words.asCommandLineList()) {
            ParseResult own = command.getParseResult();
            own.matchedOptions().forEach(OptionValues::check);
            own.matchedPositionals().forEach(OptionValues::check);
            command.getCommandSpec().options().forEach(OptionValues::checkWritten);
        }
    }

    /** Of a file that has a default as well. */
    private static void checkWritten(OptionSpec option) {
        Object value = option.getValue();
        if (value == null || value.equals("none") || !(option.userObject() instanceof AnnotatedElement field)
                || !field.isAnnotationPresent(OutputFile.AtEnd.class)) {
            return;
        }
        Path file = Path.of(value.toString());
        if (option.paramLabel().equals("DIR")) {
            OutputFile.requireFolder(option.longestName(), file);
        } else {
            OutputFile.requireFile(option.longestName(), file);
        }
    }

    private static void check(ArgSpec arg) {
        if (!(arg.userObject() instanceof AnnotatedElement field)) {
            return;
        }
        Range range = field.getAnnotation(Range.class);
        OneOf words = field.getAnnotation(OneOf.class);
        String name = arg instanceof OptionSpec option ? option.longestName() : arg.paramLabel();
        for (Object value : values(arg.getValue())) {
            if (range != null) {
                check(name, value, range);
            }
            if (words != null && !List.of(words.value()).contains(value.toString())) {
                throw new Misuse(name + " " + value + NearestWord.hint(value.toString(), List.of(words.value()))
                        + ": there " + (words.value().length == 1 ? "is " : "are ")
                        + String.join(", ", words.value()));
            }
        }
    }

    private static Collection<?> values(Object value) {
        return value instanceof Map<?, ?> map
                ? map.values()
                : value instanceof Collection<?> all ? all : value == null ? List.of() : List.of(value);
    }

    private static void check(String option, Object value, Range range) {
        if (!range.or().isEmpty() && value.equals(range.or())) {
            return;
        }
        BigDecimal given = value instanceof Number || value instanceof String
                ? Misuse.reading(option + " " + value, () -> number(value))
                : null;
        if (given == null || !isWithin(given, range.value())) {
            throw new Misuse(option + " " + value + ": " + text(range));
        }
    }

    /** The number, of a time its ns; {@link IllegalArgumentException} if it is none or endless. */
    private static BigDecimal number(Object value) {
        return value instanceof String time
                ? BigDecimal.valueOf(Durations.parseNanos(time))
                : new BigDecimal(value.toString());
    }

    private static boolean isWithin(BigDecimal value, String range) {
        int dots = range.indexOf("..");
        String least = range.substring(0, dots);
        String most = range.substring(dots + 2);
        boolean above = least.startsWith(">");
        return (least.isEmpty() || value.compareTo(bound(least.substring(above ? 1 : 0))) >= (above ? 1 : 0))
                && (most.isEmpty() || value.compareTo(bound(most)) <= 0);
    }

    private static BigDecimal bound(String text) {
        return number(Character.isDigit(text.charAt(text.length() - 1)) ? new BigDecimal(text) : text);
    }

    /** The range in words: {@code 1 to 1000}, {@code 0 or more}, {@code above 0, up to 4}. */
    static String text(Range range) {
        int dots = range.value().indexOf("..");
        String least = range.value().substring(0, dots);
        String most = range.value().substring(dots + 2);
        String words = least.startsWith(">")
                ? "above " + least.substring(1) + (most.isEmpty() ? "" : ", up to " + most)
                : most.isEmpty() ? least + " or more" : least + " to " + most;
        return range.or().isEmpty() ? words : words + ", or " + range.or();
    }
}
