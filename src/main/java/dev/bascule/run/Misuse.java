package dev.bascule.run;

import java.util.function.Supplier;

/**
 * Words of a command line that are wrong on any machine: exit status 2. These are a value out of its range or of another
 * form, a name that Bascule does not know (policy, application, device kind, transport, mix, format), and options that
 * exclude or need each other. What is well named and not there, or cannot be opened (device, file, address, process, class),
 * is a {@link Failure}: exit status 1. The message has the option, the value and what is allowed.
 */
public final class Misuse extends Failure {
    private static final long serialVersionUID = 1L;

    /** Misuse with what is wrong. */
    public Misuse(String message) {
        super(message);
    }

    /** Result of reading a value, whose {@link IllegalArgumentException} says what is wrong with it. */
    public static <T> T reading(String option, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            String why = String.valueOf(e.getMessage());
            throw new Misuse(why.startsWith(option) ? why : option + ": " + why);
        }
    }
}
