package dev.bascule.cli;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Range of an option's numbers or times; {@link OptionValues} checks it before the command begins. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Range {
    /**
     * Least and greatest value, as {@code 1..1000}, {@code 0..} or {@code >0..4} (without 0 itself); of times with their
     * units, as {@code 1us..60s}.
     */
    String value();

    /** Value beside the range that means something else, as {@code 0s}; empty if there is none. */
    String or() default "";
}
