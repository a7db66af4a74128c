package dev.bascule.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.Agent;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Topology;
import dev.bascule.host.AgentHarness;
import dev.bascule.registry.Policies;
import dev.bascule.registry.PolicySpec;
import dev.bascule.registry.ShippedPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each policy promises, step by step in virtual time. */
class PolicyTest {
    private static final int NONE = AgentHarness.NONE;

    @Test
    void earliestDeadlineGoesFirstAndNoDeadlineLast() {
        AgentHarness h = AgentHarness.of(new EdfAgent(), 1, 8);
        int none = h.newTask(false, -1, 0, 0);
        int late = h.newTask(false, -1, 0, 0);
        int early = h.newTask(false, -1, 0, 0);
        int runs = h.newTask();
        h.settle();
        assertThat(h.running(0)).isEqualTo(runs);
        int staged = h.newTask(); // takes the place that is staged ahead
        h.settle();
        h.wake(none, 0);
        h.wake(late, 9_000);
        h.wake(early, 5_000);
        h.settle();
        assertThat(order(h, 5)).containsExactly(runs, staged, early, late, none);
    }

    private static List<Integer> order(AgentHarness h, int count) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            order.add(h.running(0));
            h.block(0);
            h.settle();
        }
        return order;
    }

    /** An agent that was held up finds all of this at once; the messages tell the order. */
    @Test
    void aTaskWokenAgainBeforeTheOutcomeOfItsDecisionIsReadKeepsItsPlaceInTheQueue() {
        AgentHarness h = AgentHarness.of(new FifoAgent(), 1, 3);
        int first = h.newTask();
        int second = h.newTask(false, -1, 0, 0);
        int third = h.newTask(false, -1, 0, 0);
        h.step();
        assertThat(h.running(0)).isEqualTo(first);
        h.block(0);
        for (int task : List.of(first, second, third)) {
            h.wake(task);
        }
        h.settle();
        assertThat(order(h, 3)).containsExactly(first, second, third);
    }

    @Test
    void fairSharesFollowTheNiceLevel() {
        AgentHarness h = AgentHarness.of(new CfsAgent(10_000, 1_000), 1, 4);
        int plain = h.newTask(true, -1, 0, 0);
        int nicer = h.newTask(true, -1, 5, 0);
        long[] ran = new long[4];
        for (int i = 0; i < 20_000; i++) {
            h.advance(101);
            ran[h.running(0)] += 101;
        }
        double ratio = (double) ran[plain] / ran[nicer];
        assertThat(ratio).as("1.25 to the 5th is 3.05").isBetween(2.5, 3.7);
    }

    @Test
    void shinjukuPutsAPreemptedTaskToTheTail() {
        AgentHarness h = AgentHarness.of(new ShinjukuAgent(1_000), 1, 8);
        int first = h.newTask();
        int second = h.newTask();
        int third = h.newTask();
        h.settle();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            order.add(h.running(0));
            h.advance(1_000);
        }
        assertThat(order).containsExactly(first, second, third, first, second, third);
    }

    @Test
    void shinjukuPrefersTheClassThatIsLateInTermsOfItsTarget() {
        AgentHarness h = AgentHarness.of(new ShinjukuAgent(1_000_000, 10_000, 1_000_000), 1, 8);
        int runs = h.newTask();
        int staged = h.newTask();
        h.settle();
        int patient = h.newTask(true, -1, 0, 1);
        h.advance(5_000);
        int urgent = h.newTask(true, -1, 0, 0);
        h.advance(5_000);
        assertThat(order(h, 4)).containsExactly(runs, staged, urgent, patient);
    }

    @Test
    void ghostsShinjukuPreemptsByItsOwnDecisionAndOnlyForATaskThatWaits() {
        AgentHarness h = AgentHarness.of(new GhostShinjukuAgent(10_000, true), 1, 8);
        int first = h.newTask();
        h.settle();
        h.advance(100_000);
        assertThat(h.running(0)).as("nobody waits").isEqualTo(first);
        int second = h.newTask();
        h.advance(2_000);
        assertThat(h.running(0)).as("its quantum is over, and now one waits").isEqualTo(second);
        h.advance(5_000);
        assertThat(h.running(0)).isEqualTo(second);
        h.advance(8_000);
        assertThat(h.running(0)).isEqualTo(first);
    }

    /** ghOSt's kernel says of each task that is taken off a CPU that it was preempted; its agent puts that first. */
    @Test
    void ghostsShinjukuRunsWhoeverItHasTakenOffBeforeAllThatWait() {
        AgentHarness h = AgentHarness.of(new GhostShinjukuAgent(10_000, true), 1, 8);
        int first = h.newTask();
        h.settle();
        int second = h.newTask();
        int third = h.newTask();
        h.advance(11_000);
        assertThat(h.running(0)).isEqualTo(second);
        h.advance(11_000);
        assertThat(h.running(0)).as("taken off before, so before the one that came earlier").isEqualTo(first);
        h.block(0);
        h.settle();
        assertThat(h.running(0)).isEqualTo(second);
        h.block(0);
        h.settle();
        assertThat(h.running(0)).isEqualTo(third);
        h.wake(second, 0);
        h.wake(first, 0);
        h.advance(11_000);
        assertThat(h.running(0)).as("a worker that was taken off without a job, too").isEqualTo(first);
    }

    @Test
    void ghostsShinjukuRunsTasksAgainOnCpusThatItHasTakenThemOff() {
        AgentHarness h = AgentHarness.of(new GhostShinjukuAgent(10_000, true), 2, 8);
        int first = h.newTask();
        int second = h.newTask();
        h.settle();
        h.block(0);
        h.block(1);
        h.settle();
        h.advance(50_000);
        assertThat(List.of(h.running(0), h.running(1))).containsOnly(NONE);
        h.wake(first, 0);
        h.wake(second, 0);
        h.settle();
        assertThat(List.of(h.running(0), h.running(1))).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void ghostsShinjukuRunsBestEffortWhereNothingElseWaitsByTurns() {
        AgentHarness h = AgentHarness.of(new GhostShinjukuAgent(10_000, true), 1, 8);
        int batch = h.newTask(true, -1, 19, 0);
        h.settle();
        int other = h.newTask(true, -1, 19, 0);
        h.advance(9_000);
        assertThat(h.running(0)).as("within its quantum").isEqualTo(batch);
        h.advance(2_000);
        assertThat(h.running(0)).as("its quantum is over, and best effort waits").isEqualTo(other);
        int job = h.newTask(true, -1, 0, 0);
        h.settle();
        assertThat(h.running(0)).as("at once, without a quantum").isEqualTo(job);
        h.advance(100_000);
        assertThat(h.running(0)).as("best effort takes nobody off").isEqualTo(job);
        h.block(0);
        h.settle();
        assertThat(h.running(0)).isIn(batch, other);
    }

    @Test
    void bestEffortGivesWayAtOnceAndComesBack() {
        AgentHarness h = AgentHarness.of(new ShinjukuBestEffortAgent(1_000, 7), 2, 8);
        int batchOne = h.newTask(true, -1, 0, 7);
        int batchTwo = h.newTask(true, -1, 0, 7);
        h.settle();
        assertThat(List.of(h.running(0), h.running(1))).containsExactlyInAnyOrder(batchOne, batchTwo);
        int request = h.newTask(true, -1, 0, 0);
        h.settle();
        assertThat(List.of(h.running(0), h.running(1))).contains(request);
        int cpu = h.running(0) == request ? 0 : 1;
        h.block(cpu);
        h.settle();
        assertThat(List.of(h.running(0), h.running(1))).containsExactlyInAnyOrder(batchOne, batchTwo);
    }

    @Test
    void darcKeepsACpuFreeOfLongRequests() {
        AgentHarness h = AgentHarness.of(new DarcAgent(1, 1), 2, 16);
        for (int i = 0; i < 6; i++) {
            h.newTask(true, -1, 0, 1);
        }
        h.settle();
        assertThat(h.running(0)).as("reserved for short requests").isEqualTo(NONE);
        assertThat(h.running(1)).isNotEqualTo(NONE);
        int quick = h.newTask(true, -1, 0, 0);
        h.settle();
        assertThat(h.running(0)).isEqualTo(quick);
    }

    @Test
    void darcReservesInProportionToWorkAndAtLeastOneEach() {
        assertThat(DarcAgent.reserve(new double[] { 1, 99 }, 4)).containsExactly(0, 1, 1, 1);
        assertThat(DarcAgent.reserve(new double[] { 50, 50 }, 4)).containsExactly(0, 0, 1, 1);
        assertThat(DarcAgent.reserve(new double[] { 98, 1, 1 }, 4)).containsExactly(0, 0, 1, 2);
        assertThat(DarcAgent.reserve(new double[] { 1, 1, 1 }, 1)).containsExactly(0);
    }

    @Test
    void perCpuQueuesDoNotStealAndPlaceWhereLeastIsToDo() {
        AgentHarness h = AgentHarness.of(new PerCpuFifoAgent(), 2, 16);
        List<Integer> tasks = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            tasks.add(h.newTask());
            h.settle();
        }
        int onZero = h.running(0);
        int onOne = h.running(1);
        assertThat(onZero).isNotEqualTo(NONE);
        assertThat(onOne).isNotEqualTo(NONE);
        for (int i = 0; i < 3; i++) {
            h.block(0);
            h.settle();
        }
        assertThat(h.running(0)).as("its three are done, it does not take the other's").isEqualTo(NONE);
        assertThat(h.running(1)).isEqualTo(onOne);
    }

    @ParameterizedTest
    @ValueSource(ints = { 2, 3, 4 })
    void siblingsNeverRunDifferentMachines(int siblings) {
        int cpus = 12;
        EnclaveShape shape = new EnclaveShape(cpus, 12, 1, 1024, 1, new Topology(cpus, siblings, 1));
        boolean shared = false;
        for (long seed = 0; seed < 60; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            AgentHarness h = AgentHarness.of(new GangAgent(5_000), shape);
            int[] machine = new int[12];
            List<Integer> asleep = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                int vm = i % 3;
                machine[h.newTask(true, -1, 0, vm)] = vm;
            }
            for (int step = 0; step < 200; step++) {
                h.advance(random.nextInt(3_000));
                int cpu = random.nextInt(cpus);
                if (h.running(cpu) != NONE && random.nextInt(3) == 0) {
                    asleep.add(h.running(cpu));
                    h.block(cpu);
                }
                if (!asleep.isEmpty() && random.nextBoolean()) {
                    h.wake(asleep.remove(random.nextInt(asleep.size())));
                }
                for (int a = 0; a < cpus; a++) {
                    for (int b = a + 1; b < (a / siblings + 1) * siblings; b++) {
                        if (h.running(a) != NONE && h.running(b) != NONE) {
                            shared = true;
                            assertThat(machine[h.running(a)]).as("seed %d step %d: siblings %d and %d run tasks %d, %d",
                                    seed, step, a, b, h.running(a), h.running(b)).isEqualTo(machine[h.running(b)]);
                        }
                    }
                }
            }
        }
        assertThat(shared).as("siblings shared a core").isTrue();
    }

    @Test
    void withoutSiblingsEveryCpuRunsAnyMachine() {
        AgentHarness h = AgentHarness.of(new GangAgent(5_000), 4, 4);
        for (int vm = 0; vm < 4; vm++) {
            h.newTask(true, -1, 0, vm);
        }
        h.advance(3_000);
        for (int cpu = 0; cpu < 4; cpu++) {
            assertThat(h.running(cpu)).as("CPU %d", cpu).isNotEqualTo(NONE);
        }
    }

    static Stream<String> shipped() {
        return Policies.ALL.stream().map(ShippedPolicy::name);
    }

    private static Agent agent(String policy) {
        return PolicySpec.of(policy).withDefault("work", "1:2:3").withDefault("quantum", "2us")
                .withDefault("latency", "20us").withDefault("granularity", "2us").withDefault("tenure", "4us").factory()
                .get();
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void noPolicyLosesATaskOrRunsItTwice(String policy) {
        for (long seed = 0; seed < 10; seed++) {
            everyTaskGetsItsTurn(agent(policy), seed);
        }
    }

    /** Threads of one class that block and come back sooner than the CPUs can serve all: a machine under overload. */
    @ParameterizedTest
    @MethodSource("shipped")
    void noPolicyForgetsAThreadWhileOthersComeAndGo(String policy) {
        for (long seed = 0; seed < 5; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            AgentHarness h = AgentHarness.of(agent(policy), 2, 12);
            int[] rounds = new int[12];
            Deque<Integer> asleep = new ArrayDeque<>();
            for (int i = 0; i < rounds.length; i++) {
                h.newTask();
            }
            h.settle();
            for (int step = 0; step < 4_000; step++) {
                int cpu = random.nextInt(2);
                int task = h.running(cpu);
                if (task != NONE) {
                    h.block(cpu);
                    rounds[task]++;
                    asleep.add(task);
                }
                if (asleep.size() > 3) {
                    h.wake(asleep.remove(), 0);
                }
                h.advance(random.nextInt(3_000));
            }
            int even = Arrays.stream(rounds).sum() / rounds.length;
            assertThat(even).as("%s, seed %d", policy, seed).isPositive();
            assertThat(rounds).as("%s, seed %d: rounds of each thread", policy, seed)
                    .doesNotHave(new Condition<>(all -> Arrays.stream(all).anyMatch(one -> one < even / 4),
                            "a thread with less than a fourth of its share"));
        }
    }

    private static void everyTaskGetsItsTurn(Agent policy, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String what = policy.getClass().getSimpleName() + ", seed " + seed;
        AgentHarness h = AgentHarness.of(policy, 3, 10);
        boolean[] ran = new boolean[10];
        for (int i = 0; i < 10; i++) {
            h.newTask(true, random.nextInt(4) == 0 ? 1 + random.nextInt(7) : -1, random.nextInt(10), random.nextInt(3));
        }
        int done = 0;
        for (int step = 0; step < 3_000 && done < 10; step++) {
            h.advance(random.nextInt(2_000));
            int cpu = random.nextInt(3);
            int task = h.running(cpu);
            if (task != NONE && random.nextInt(3) == 0) {
                assertThat(ran[task]).as("%s: task %d ends once", what, task).isFalse();
                ran[task] = true;
                done++;
                h.block(cpu);
            }
            if (step % 97 == 0) {
                h.resync();
            }
        }
        assertThat(done).as("%s: tasks that had their turn; the rest: %s", what, h.trace().size()).isEqualTo(10);
    }

    @Test
    void badParametersAreRefusedByName() {
        assertThatThrownBy(() -> new ShinjukuAgent(0)).hasMessageContaining("quantum is 0 ns");
        assertThatThrownBy(() -> new ShinjukuAgent(1, 0L)).hasMessageContaining("target latency");
        assertThatThrownBy(() -> new ShinjukuBestEffortAgent(0, 1)).hasMessageContaining("quantum");
        assertThatThrownBy(() -> new CfsAgent(1, 2)).hasMessageContaining("granularity");
        assertThatThrownBy(() -> new DarcAgent()).hasMessageContaining("no classes");
        assertThatThrownBy(() -> new DarcAgent(1, 0)).hasMessageContaining("above 0");
        assertThatThrownBy(() -> new GangAgent(0)).hasMessageContaining("tenure");
        assertThatThrownBy(() -> new RoundRobinAgent(0)).hasMessageContaining("quantum");
    }
}
