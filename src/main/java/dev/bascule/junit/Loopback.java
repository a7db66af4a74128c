package dev.bascule.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test of a driver, or of a program on top of one, with a simulated card in this process: runs once for each device and
 * with each seed.
 *
 * <pre>{@code
 * @Loopback(device = "corundum")
 * void whatIsSentComesBack(Nic nic) {
 *     TxQueue tx = nic.txQueue(0);
 *     ...
 * }
 * }</pre>
 *
 * What a test can have as a parameter, in any order, each made when it is first asked for:
 * <ul>
 * <li>{@link dev.bascule.device.DeviceBacking}, or {@link dev.bascule.loopback.LoopbackDevice}, which can be pulled out;
 * <li>{@link dev.bascule.device.DeviceModel}, or the class of the device's model;
 * <li>network cards: {@link dev.bascule.nic.NicAdapter}, and {@link dev.bascule.nic.Nic}, the first of which is port 0, the
 * second port 1, opened with one queue each way and started;
 * <li>on the class path, for the module does not export them: {@code EduDriver} for edu, {@code IvshmemDriver} for ivshmem;
 * <li>{@link dev.bascule.loopback.FaultPlan}, {@code @Seed long} and {@link java.util.SplittableRandom}, see {@link Seed}.
 * </ul>
 * All of it is closed after the test, in reverse order. {@code @BeforeEach} and {@code @AfterEach} methods may have the same
 * parameters. A program that opens the card itself takes the backing only.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@TestTemplate
@ExtendWith(LoopbackExtension.class)
public @interface Loopback {
    /** Where the card's ports are plugged in. */
    enum Wire {
        /** A cable that brings back to a port what it sends. */
        LOOP,
        /** Ports are crossed in pairs; for a card with two ports, such as corundum. */
        CROSS,
        /** Nothing is plugged in. */
        OPEN
    }

    /** Names of devices: cndm, cndm-proto, corundum, edu, enso, ivshmem, smartnic, virtio. */
    String[] device();

    /** Where the ports of a network card are plugged in. */
    Wire wire() default Wire.LOOP;
}
