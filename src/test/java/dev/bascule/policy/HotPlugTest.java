package dev.bascule.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Topology;
import dev.bascule.host.AgentHarness;
import dev.bascule.registry.Policies;
import dev.bascule.registry.PolicySpec;
import dev.bascule.registry.ShippedPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every policy that ships, while CPUs are taken, unplugged and come back, and tasks are bound to other ones. */
class HotPlugTest {
    private static final int CPUS = 4;
    private static final int TASKS = 24;
    private static final int SEEDS = 30;
    private static final int STEPS = 400;
    private static final long ALL = (1L << CPUS) - 1;
    private static final long PATIENCE_NANOS = 200_000_000;

    static Stream<String> policies() {
        return Policies.ALL.stream().map(ShippedPolicy::name);
    }

    private static AgentHarness harness(String policy) {
        return AgentHarness.of(PolicySpec.of(policy).withDefault("work", "50:30:20").factory().get(),
                new EnclaveShape(CPUS, TASKS, 1, 64, 2, new Topology(CPUS, 2, 1)));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void whatWaitsForACpuThatGoesRunsElsewhere(String policy) {
        for (int gone = 0; gone < CPUS; gone++) {
            AgentHarness h = harness(policy);
            List<Integer> open = new ArrayList<>();
            for (int i = 0; i < TASKS; i++) {
                open.add(h.newTask(true, -1, 0, i % 3));
            }
            h.settle();
            h.offlineCpu(gone);
            exitAll(h, open, policy + " without CPU " + gone);
        }
    }

    /** Everything that runs exits, until all have. */
    private static void exitAll(AgentHarness h, List<Integer> open, String what) {
        long from = h.now();
        while (!open.isEmpty()) {
            h.settle();
            for (int cpu = 0; cpu < CPUS; cpu++) {
                if (h.running(cpu) != AgentHarness.NONE) {
                    open.remove((Integer) h.running(cpu));
                    h.exit(cpu);
                }
            }
            h.advance(1_000_000);
            assertThat(h.now() - from).as("%s: tasks %s wait for ever; %s", what, open, h.trace()).isLessThan(
                    PATIENCE_NANOS);
        }
    }

    @ParameterizedTest
    @MethodSource("policies")
    void noTaskRunsWhereItMayNotAndNoneIsForgotten(String policy) {
        for (long seed = 0; seed < SEEDS; seed++) {
            World world = new World(policy, seed);
            for (int step = 0; step < STEPS; step++) {
                world.step();
                world.check();
            }
            world.end();
        }
    }

    @Test
    void aTaskThatIsBoundToAnotherCpuWhileItRunsLeavesIt() {
        AgentHarness h = harness("fifo");
        int task = h.newTask();
        h.settle();
        assertThat(h.running(0)).isEqualTo(task);
        h.setAffinity(task, 0b1000);
        assertThat(h.running(0)).isEqualTo(AgentHarness.NONE);
        h.settle();
        assertThat(h.running(3)).isEqualTo(task);
        assertThat(String.join("\n", h.trace())).contains("task 0 may not use it any more, leaves cpu 0");
    }

    /** A host that does whatever it likes. */
    private static final class World {
        private final AgentHarness h;
        private final String name;
        private final SplittableRandom random;
        private final List<Integer> tasks = new ArrayList<>();
        private final List<Integer> blocked = new ArrayList<>();
        private final long[] masks = new long[TASKS];
        private final boolean[] isAway = new boolean[CPUS];

        World(String policy, long seed) {
            h = harness(policy);
            name = policy + ", seed " + seed;
            random = new SplittableRandom(seed);
        }

        void step() {
            int cpu = random.nextInt(CPUS);
            int current = h.running(cpu);
            switch (random.nextInt(8)) {
                case 0 -> comeOrGo(cpu);
                case 1 -> bind();
                case 2 -> create();
                case 3 -> wake();
                case 4 -> h.advance(random.nextInt(60_000));
                case 5 -> h.resync();
                default -> {
                    if (current != AgentHarness.NONE) {
                        leave(cpu, current);
                    }
                }
            }
            if (random.nextBoolean()) {
                h.step();
            }
        }

        private void comeOrGo(int cpu) {
            boolean plug = random.nextBoolean();
            if (!isAway[cpu] && plug) {
                h.offlineCpu(cpu);
            } else if (!isAway[cpu]) {
                h.takeCpu(cpu);
            } else {
                h.onlineCpu(cpu);
                h.giveCpu(cpu);
            }
            isAway[cpu] = !isAway[cpu];
        }

        private void bind() {
            if (!tasks.isEmpty()) {
                int task = tasks.get(random.nextInt(tasks.size()));
                masks[task] = 1 + random.nextLong(ALL);
                h.setAffinity(task, masks[task]);
            }
        }

        private void create() {
            if (tasks.size() < TASKS) {
                long mask = random.nextInt(3) > 0 ? ALL : 1 + random.nextLong(ALL);
                int task = h.newTask(true, mask, random.nextInt(-5, 6), random.nextInt(3));
                masks[task] = mask;
                tasks.add(task);
            }
        }

        private void wake() {
            if (!blocked.isEmpty()) {
                h.wake(blocked.remove(random.nextInt(blocked.size())));
            }
        }

        private void leave(int cpu, int task) {
            switch (random.nextInt(4)) {
                case 0 -> h.yield(cpu);
                case 1 -> h.preempt(cpu);
                case 2 -> {
                    h.exit(cpu);
                    tasks.remove((Integer) task);
                }
                default -> {
                    h.block(cpu);
                    blocked.add(task);
                }
            }
        }

        void check() {
            for (int cpu = 0; cpu < CPUS; cpu++) {
                int task = h.running(cpu);
                if (task != AgentHarness.NONE) {
                    assertThat(isAway[cpu]).as("%s: task %d runs on CPU %d, which is away; %s", name, task, cpu,
                            h.trace()).isFalse();
                    assertThat(masks[task] >>> cpu & 1).as("%s: task %d on CPU %d; %s", name, task, cpu, h.trace())
                            .isEqualTo(1);
                }
            }
        }

        /** All come back, and every task has its turn. */
        void end() {
            for (int cpu = 0; cpu < CPUS; cpu++) {
                h.onlineCpu(cpu);
                h.giveCpu(cpu);
            }
            blocked.forEach(h::wake);
            exitAll(h, tasks, name);
        }
    }
}
