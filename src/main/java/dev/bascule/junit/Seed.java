package dev.bascule.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Seed of everything random in a test with {@link SmartNic}, {@link Loopback} or {@link Cosim}: the fault plan, what
 * hardware leaves open, and a {@link java.util.SplittableRandom} parameter.
 * <p>
 * On a method or class: the seeds to run with, one run each. Without, or with none given, each run draws a new one. On a
 * parameter of type {@code long}: the run's seed.
 * <p>
 * A test that fails prints its seed. {@code -Dbascule.seed=N} (or the JUnit configuration parameter of that name) runs with
 * that seed only.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.TYPE, ElementType.PARAMETER })
public @interface Seed {
    /** The seeds; none on a parameter. */
    long[] value() default {};
}
