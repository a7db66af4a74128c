package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.Session;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.Waiter;
import dev.bascule.swap.SwapMode;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
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
    private static final int SEEDS = 60;
    private static final int STEPS = 300;

    @TempDir
    private Path folder = Path.of("");

    /** The kernel, the relay and the agent. */
    private static final class World implements AutoCloseable {
        final MechanismEnd near;
        final Mechanism kernel;
        final KernelRelay relay;
        final MechanismEnd far;
        private final Session session;
        private AgentLoop agent;

        World(Session session) {
            PinnedMemory memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
            near = LocalHost.open(memory, SHAPE, Waiter.NAPS);
            kernel = new Mechanism(near, System::nanoTime, DecisionListener.NONE);
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
                ? Session.wave(folder, LinkSetup.DEFAULT, false)
                : Session.swap(folder, LinkSetup.DEFAULT.withMode(SwapMode.of(transport)), false));
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

    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap0", "swap1", "swap-end", "one-word" })
    void noTaskIsForgottenWhateverHappensWhen(String transport) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try (World world = world(transport)) {
                Happenings happenings = new Happenings(world, seed);
                for (int step = 0; step < STEPS; step++) {
                    happenings.step();
                }
                for (int i = 0; i < ROUNDS; i++) {
                    happenings.drain();
                }
                assertThat(happenings.waiting()).as("tasks that wait, over " + transport + ", seed " + seed).isZero();
            }
        }
    }

    /** What a kernel's tasks do while relay and agents look now and then, in an order that a seed draws. */
    private static final class Happenings {
        private final World world;
        private final SplittableRandom random;
        private final boolean[] isBlocked = new boolean[SHAPE.tasks()];

        Happenings(World world, long seed) {
            this.world = world;
            random = new SplittableRandom(seed);
            for (int i = 0; i < SHAPE.tasks(); i++) {
                world.kernel.create(true, -1, 0, 0);
            }
        }

        void step() {
            int cpu = random.nextInt(SHAPE.cpus());
            switch (random.nextInt(24)) {
                case 0 -> world.upgrade();
                case 1 -> world.near.requestResync(0);
                case 2, 3, 4 -> world.relay.turn();
                case 5, 6 -> world.relay.tick();
                case 7, 8, 9 -> world.agent.turn();
                case 10 -> world.far.isReady(0);
                case 11 -> decideHere(cpu);
                case 12, 13, 14, 15 -> wake(random.nextInt(SHAPE.tasks()));
                default -> goOn(cpu);
            }
            world.kernel.commit();
        }

        private void decideHere(int cpu) {
            if (world.kernel.current(cpu) == Mechanism.NONE) {
                world.kernel.decideLocally(cpu);
            }
        }

        private void wake(int task) {
            if (isBlocked[task]) {
                isBlocked[task] = false;
                world.kernel.wakeup(task, 0);
            }
        }

        private void goOn(int cpu) {
            int task = world.kernel.current(cpu);
            if (task == Mechanism.NONE) {
                world.kernel.decide(cpu);
            } else if (random.nextInt(3) == 0) {
                world.kernel.preempted(task, 1);
            } else {
                block(task);
            }
        }

        private void block(int task) {
            world.kernel.blocked(task, 1);
            isBlocked[task] = true;
        }

        /** From here on every task that gets a CPU blocks for good. */
        void drain() {
            for (int cpu = 0; cpu < SHAPE.cpus(); cpu++) {
                int task = world.kernel.current(cpu);
                if (task == Mechanism.NONE) {
                    world.kernel.decide(cpu);
                } else {
                    block(task);
                }
            }
            world.round();
        }

        long waiting() {
            return IntStream.range(0, SHAPE.tasks()).filter(task -> !isBlocked[task]).count();
        }
    }
}
