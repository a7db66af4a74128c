package dev.bascule.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Mark of a record's component that stands in a file; {@link Binder} gives the others what it was told. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
@interface Key {
    /** Name in the file, if it is not the component's. */
    String value() default "";

    /** Type of its value, if the component's does not say it. */
    ValueType type() default ValueType.OF_COMPONENT;

    /** Smallest value (counts, bytes, nanoseconds). */
    long min() default 0;

    /** Largest value; of a duration a minute, of a constant a second. */
    long max() default Long.MAX_VALUE;

    /** Whether only powers of two are taken. */
    boolean powerOfTwo() default false;

    /** Default as a file would say it, if it is not that of {@link ValueType#fallback()}. */
    String fallback() default "";

    /** Whether there is no default. */
    boolean required() default false;

    /** Words of a choice, the default first; of a cost, its units. */
    String[] words() default {};
}
