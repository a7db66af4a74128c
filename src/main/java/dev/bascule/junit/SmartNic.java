package dev.bascule.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test of host and agent over a loopback SmartNIC: runs once over each transport and with each seed.
 *
 * <pre>{@code
 * @SmartNic(transport = { Transport.WAVE, Transport.SWAP })
 * @Faults("drop:host-to-nic:offset=0x200-0xfffffff:probability=0.01") // behind the header, which agents attach by
 * void myPolicyLosesNothing(TransportRig rig) {
 *     TransportRig.Attached agent = rig.attach(new MyPolicy());
 *     ...
 * }
 * }</pre>
 *
 * What a test can have as a parameter, in any order, each made when it is first asked for:
 * <ul>
 * <li>{@link TransportRig}: host and agents to be stepped by hand, with ledgers as oracle; its parts are
 * {@link dev.bascule.agent.MechanismEnd} and {@link dev.bascule.agent.Mechanism};
 * <li>{@link dev.bascule.agent.AgentEnd}: agent 0, attached;
 * <li>{@link dev.bascule.host.Session}: only the session, for a test that opens both sides itself, with a
 * {@link dev.bascule.host.LiveHost} for example;
 * <li>{@link dev.bascule.agent.EnclaveShape}, {@link Transport}, {@link dev.bascule.loopback.FaultPlan};
 * <li>{@code @Seed long} and {@link java.util.SplittableRandom}, see {@link Seed}.
 * </ul>
 * All of it is closed after the test, in reverse order. {@code @BeforeEach} and {@code @AfterEach} methods may have the same
 * parameters.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@TestTemplate
@ExtendWith(SmartNicExtension.class)
public @interface SmartNic {
    /** Over which transports. */
    Transport[] transport() default { Transport.WAVE, Transport.SWAP };

    /** CPUs under the agent. */
    int cpus() default 2;

    /** Tasks there is room for. */
    int tasks() default 16;

    /** Decisions that may be staged for each CPU. */
    int staged() default 1;

    /** Messages a channel holds, a power of two; a few provoke overflows. */
    int channelEntries() default 64;
}
