package dev.bascule.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Faults of the link in a test with {@link SmartNic} or {@link Loopback}, drawn by the test's {@link Seed}. On a method or
 * class; the method's replace the class's.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.TYPE })
public @interface Faults {
    /**
     * Rules as {@link dev.bascule.loopback.FaultRule#parse} reads them, the first that hits wins:
     * {@code drop:host-to-nic:probability=0.01}, {@code remove:register-read:message=100}.
     */
    String[] value();
}
