package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.host.SwapSession;
import dev.bascule.host.TransportSession;
import dev.bascule.host.WaveSession;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import dev.bascule.swap.SwapMode;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The relay between the kernel's region and another transport, stepped by hand in one thread; in the kernel's place stands
 * the mechanism of any other host. A CPU that is free and whose agent has a task for it gets that task, although no more
 * messages come.
 */
class KernelRelayTest {
    private static final EnclaveShape SHAPE = new EnclaveShape(2, 8, 1, 64, 1);
    private static final int ROUNDS = 100;

    @TempDir
    private Path folder = Path.of("");

    /** The kernel, the relay and the agent. */
    private static final class World implements AutoCloseable {
        final Mechanism kernel;
        final KernelRelay relay;
        final MechanismEnd far;
        private final TransportSession session;
        private AgentLoop agent;

        World(TransportSession session) {
            PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
            kernel = new Mechanism(LocalHost.open(memory, SHAPE, Waiter.NAPS), System::nanoTime, DecisionListener.NONE);
            this.session = session;
            far = session.openHost(SHAPE);
            relay = new KernelRelay(LocalAgent.attach(memory, 0, 1, Doorbell.NONE), far);
            agent = attach();
        }

        private AgentLoop attach() {
            return new AgentLoop(new FifoAgent(), session.attach(0), System::nanoTime);
        }

        void round() {
            kernel.commit();
            far.isReady(0);
            relay.turn();
            relay.tick();
            agent.turn();
        }

        /** Waits until the CPU, which is free, gets a task; {@link Mechanism#NONE} if it does not. */
        int awaitTask(int cpu) {
            int task = Mechanism.NONE;
            for (int i = 0; i < ROUNDS && task == Mechanism.NONE; i++) {
                round();
                task = kernel.decide(cpu);
            }
            return task;
        }

        /** Another agent takes this one's place, as the host's watch sees to. */
        void upgrade() {
            kernel.commit();
            far.openEpoch(0);
            relay.fenced();
            far.isReady(0);
            agent = attach();
        }

        @Override
        public void close() {
            far.close();
            session.close();
        }
    }

    private World world(String transport) {
        return new World(transport.equals("wave")
                ? new WaveSession(folder, WaveSession.Setup.DEFAULT, false)
                : new SwapSession(folder, SwapSession.Setup.DEFAULT.withMode(SwapMode.of(transport)), false));
    }

    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap0", "swap1", "swap-end", "one-word" })
    void aCpuThatIsLeftDuringAnUpgradeGetsTheNextTask(String transport) {
        try (World world = world(transport)) {
            for (int i = 0; i < SHAPE.tasks(); i++) {
                world.kernel.create(true, -1, 0, 0);
            }
            int first = world.awaitTask(0);
            assertThat(first).as("first task on CPU 0").isNotEqualTo(Mechanism.NONE);
            assertThat(world.awaitTask(1)).as("first task on CPU 1").isNotEqualTo(Mechanism.NONE);
            world.round(); // the relay knows that both CPUs work
            world.kernel.blocked(first, 1);
            world.upgrade();
            assertThat(world.awaitTask(0)).as("next task on CPU 0").isNotEqualTo(Mechanism.NONE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap0", "swap1", "swap-end", "one-word" })
    void aCpuThatIsLeftBeforeItsDecisionIsSettledGetsTheNextTask(String transport) {
        try (World world = world(transport)) {
            for (int i = 0; i < SHAPE.tasks(); i++) {
                world.kernel.create(true, -1, 0, 0);
            }
            int first = world.awaitTask(0);
            world.kernel.blocked(first, 1); // before the relay looks for the outcome
            assertThat(first).as("first task on CPU 0").isNotEqualTo(Mechanism.NONE);
            assertThat(world.awaitTask(0)).as("next task on CPU 0").isNotEqualTo(Mechanism.NONE);
        }
    }
}
