package dev.bascule.rpc;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Arguments and results of a procedure. Records are written out, component by component, so a result may have any
 * number of parts; none is void.
 *
 * @param arguments in order
 * @param result parts of the result, in order
 */
public record Signature(List<ValueType> arguments, List<ValueType> result) {
    /** Takes nothing and returns nothing: procedure 0 of every program. */
    public static final Signature NULL = new Signature(List.of(), List.of());

    private static final int MOST_VALUES = 64;

    /** Keeps copies; {@link IllegalArgumentException} for more than 64 values. */
    public Signature {
        arguments = List.copyOf(arguments);
        result = List.copyOf(result);
        if (arguments.size() > MOST_VALUES || result.size() > MOST_VALUES) {
            throw new IllegalArgumentException("a signature with " + arguments.size() + " arguments and "
                    + result.size() + " parts of the result; at most " + MOST_VALUES + " each");
        }
    }

    /** For people: {@code (int, string) -> long}. */
    @Override
    public String toString() {
        return "(" + list(arguments) + ") -> " + (result.isEmpty() ? "void" : list(result));
    }

    private static String list(List<ValueType> types) {
        return types.stream().map(type -> type.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(", "));
    }
}
