package dev.bascule.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test of a driver, or of a program on top of one, with a compiled design behind a vfio-user socket: runs once with each
 * seed.
 *
 * <pre>{@code
 * @Cosim(build = "target/cosim/nic")
 * void whatIsSentComesBack(Nic nic) {
 *     ...
 * }
 * }</pre>
 *
 * What a test can have as a parameter, in any order, each made when it is first asked for:
 * <ul>
 * <li>{@link CosimServer}: the program, which can be killed and started again; not with a socket;
 * <li>{@link dev.bascule.device.DeviceBacking}, or {@link dev.bascule.vfiouser.VfioUserDevice};
 * <li>network cards: {@link dev.bascule.nic.NicAdapter}, and {@link dev.bascule.nic.Nic}, port 0, opened with one queue each
 * way and started;
 * <li>{@code @Seed long} and {@link java.util.SplittableRandom}, see {@link Seed}.
 * </ul>
 * All of it is closed after the test, in reverse order.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@TestTemplate
@ExtendWith(CosimExtension.class)
public @interface Cosim {
    /** A program that serves the design at the socket whose path is its last argument; started for each run of the test. */
    String build() default "";

    /** The socket of a server that runs already. One of the two is named. */
    String socket() default "";
}
