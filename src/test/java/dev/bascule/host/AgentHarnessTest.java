package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.Agent;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.Transaction;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RoundRobinAgent;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class AgentHarnessTest {
    @Test
    void tasksRunInTheOrderInWhichTheyBecameRunnable() {
        AgentHarness h = AgentHarness.of(new FifoAgent(), 1, 8);
        int a = h.newTask();
        int b = h.newTask(false, -1, 0, 0);
        int c = h.newTask();
        h.wake(b);
        List<Integer> order = new ArrayList<>();
        h.settle();
        while (h.running(0) != AgentHarness.NONE) {
            order.add(h.running(0));
            h.exit(0);
            h.settle();
        }
        assertThat(order).containsExactly(a, c, b);
    }

    @Test
    void nothingIsDecidedBeforeTheNextStep() {
        AgentHarness h = AgentHarness.of(new FifoAgent(), 2, 8);
        int a = h.newTask();
        assertThat(h.running(0)).isEqualTo(AgentHarness.NONE);
        assertThat(h.step()).isPositive();
        assertThat(h.running(0)).isEqualTo(a);
        assertThat(h.running(1)).isEqualTo(AgentHarness.NONE);
        h.settle();
        assertThat(h.step()).isZero();
    }

    @Test
    void aTaskOnlyUsesTheCpusItMay() {
        AgentHarness h = AgentHarness.of(new FifoAgent(), 2, 8);
        int onSecond = h.newTask(true, 0b10, 0, 0);
        int alsoOnSecond = h.newTask(true, 0b10, 0, 0);
        int anywhere = h.newTask();
        h.settle();
        assertThat(h.running(0)).isEqualTo(anywhere);
        assertThat(h.running(1)).isEqualTo(onSecond);
        h.block(0);
        h.settle();
        assertThat(h.running(0)).isEqualTo(AgentHarness.NONE);
        h.exit(1);
        h.settle();
        assertThat(h.running(1)).isEqualTo(alsoOnSecond);
    }

    @Test
    void aDecisionFromBeforeAChangeOfAffinityIsRefusedAndMadeAnew() {
        AgentHarness h = AgentHarness.of(new FifoAgent(), 2, 8);
        int running = h.newTask(true, 0b01, 0, 0);
        int next = h.newTask(true, 0b01, 0, 0);
        h.settle();
        assertThat(h.running(0)).isEqualTo(running);
        h.setAffinity(next, 0b10); // it is staged behind the running task by now
        h.block(0);
        h.settle();
        assertThat(h.trace()).anyMatch(line -> line.contains("refuses task " + next + ": TARGET_STALE"));
        assertThat(h.running(0)).isEqualTo(AgentHarness.NONE);
        assertThat(h.running(1)).isEqualTo(next);
    }

    @Test
    void slicesEndAtTheirVirtualTimes() {
        AgentHarness h = AgentHarness.of(new RoundRobinAgent(1_500), 1, 8);
        int a = h.newTask();
        int b = h.newTask();
        h.advance(1_499);
        assertThat(h.running(0)).isEqualTo(a);
        h.advance(1);
        assertThat(h.running(0)).isEqualTo(b);
        h.advance(1_500);
        assertThat(h.running(0)).isEqualTo(a);
        assertThat(h.now()).isEqualTo(3_000);
        assertThat(h.trace()).containsExactly("0 ns  task 0 new, runnable", "0 ns  task 1 new, runnable",
                "0 ns  cpu 0 runs task 0 for 1500 ns", "1500 ns  task 0 slice is over, leaves cpu 0",
                "1500 ns  cpu 0 runs task 1 for 1500 ns", "3000 ns  task 1 slice is over, leaves cpu 0",
                "3000 ns  cpu 0 runs task 0 for 1500 ns");
    }

    @Test
    void aTaskThatNobodyWaitsBehindKeepsItsCpuPastItsSlice() {
        AgentHarness h = AgentHarness.of(new RoundRobinAgent(1_000), 1, 8);
        int a = h.newTask();
        h.advance(10_000);
        assertThat(h.running(0)).isEqualTo(a);
        int b = h.newTask();
        h.advance(0);
        assertThat(h.running(0)).as("a newcomer ends the overdue slice").isEqualTo(b);
    }

    @Test
    void anOverflownChannelIsHealedByAResync() {
        AgentHarness h = AgentHarness.of(new FifoAgent(), new EnclaveShape(1, 16, 1, 4, 1));
        for (int task = 0; task < 12; task++) {
            h.newTask();
        }
        assertThat(h.mechanism().overflows()).isPositive();
        assertThat(runAll(h, 1)).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    }

    @Test
    void aResyncInBetweenForgetsNothingAndDoublesNothing() {
        AgentHarness h = AgentHarness.of(new FifoAgent(), 2, 16);
        for (int task = 0; task < 8; task++) {
            h.newTask();
        }
        h.settle();
        h.resync();
        assertThat(runAll(h, 2)).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void aNewAgentTakesOverWhatTheOldOneLeft() {
        AgentHarness h = AgentHarness.of(new FifoAgent(), 1, 8);
        int a = h.newTask();
        h.newTask();
        h.newTask();
        h.settle();
        h.replaceAgent(new RoundRobinAgent(1_000));
        assertThat(h.running(0)).as("running tasks go on").isEqualTo(a);
        h.advance(500);
        assertThat(runAll(h, 1)).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(h.trace()).anyMatch(line -> line.contains("agent replaced, epoch 2"));
    }

    private static List<Integer> runAll(AgentHarness h, int cpus) {
        List<Integer> order = new ArrayList<>();
        h.settle();
        for (boolean any = true; any;) {
            any = false;
            for (int cpu = 0; cpu < cpus; cpu++) {
                if (h.running(cpu) != AgentHarness.NONE) {
                    order.add(h.running(cpu));
                    h.exit(cpu);
                    any = true;
                }
            }
            h.settle();
        }
        return order;
    }

    @Test
    void theNextTaskIsStagedWhileOneRuns() {
        AgentHarness h = AgentHarness.of(new FifoAgent(), 1, 8);
        for (int task = 0; task < 4; task++) {
            h.newTask();
        }
        h.settle();
        long before = h.mechanism().prestageHits();
        for (int i = 1; i < 4; i++) {
            h.block(0);
            h.settle();
            assertThat(h.running(0)).isEqualTo(i);
        }
        assertThat(h.mechanism().prestageHits() - before).isEqualTo(3);
    }

    @Test
    void aCpuThatIsTakenGetsNoTask() {
        AgentHarness h = AgentHarness.of(new FifoAgent(), 2, 8);
        h.takeCpu(0);
        int a = h.newTask();
        h.newTask();
        h.settle();
        assertThat(h.running(0)).isEqualTo(AgentHarness.NONE);
        assertThat(h.running(1)).isEqualTo(a);
        h.giveCpu(0);
        h.exit(1);
        h.settle();
        assertThat(h.running(0) + h.running(1)).as("one runs the second, the other nothing").isEqualTo(0);
    }

    @Test
    void theSameStepsGiveTheSameTrace() {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(randomRun(seed)).as("seed %d", seed).isEqualTo(randomRun(seed));
        }
    }

    private static List<String> randomRun(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        AgentHarness h = AgentHarness.of(new RoundRobinAgent(2_500), 2, 64);
        for (int i = 0; i < 200; i++) {
            int cpu = random.nextInt(2);
            boolean busy = h.running(cpu) != AgentHarness.NONE;
            switch (random.nextInt(5)) {
                case 0 -> h.advance(random.nextInt(5_000));
                case 1 -> h.step();
                case 2 -> {
                    if (busy) {
                        h.exit(cpu);
                    }
                }
                case 3 -> {
                    if (busy) {
                        h.yield(cpu);
                    }
                }
                default -> {
                    if (h.mechanism().runnableCount() < 20) {
                        h.newTask();
                    }
                }
            }
        }
        return h.trace();
    }

    @Test
    void aTimerOfTheAgentExpiresInVirtualTime() {
        TimerAgent agent = new TimerAgent(7_000);
        AgentHarness h = AgentHarness.of(agent, 1, 2);
        h.advance(6_999);
        assertThat(agent.expired).isEmpty();
        h.advance(10_000);
        assertThat(agent.expired).containsExactly(7_000L);
    }

    /** Arms one timer and logs when it expires. */
    private static final class TimerAgent implements Agent {
        private final long atNanos;
        private final List<Long> expired = new ArrayList<>();

        TimerAgent(long atNanos) {
            this.atNanos = atNanos;
        }

        @Override
        public void reset(Enclave enclave) {
            assertThat(enclave.armTimer(0, atNanos, 42)).isTrue();
        }

        @Override
        public int doWork(Enclave enclave) {
            int work = 0;
            for (Message message = enclave.peek(); message != null; message = enclave.peek()) {
                if (message.type() == MessageType.CPU_TIMER_EXPIRED) {
                    assertThat(message.affinity()).isEqualTo(42);
                    expired.add(enclave.now());
                }
                enclave.consume();
                work++;
            }
            return work;
        }
    }

    @Test
    void anAgentMayTakeTheCpuForAnotherTaskAtOnce() {
        AgentHarness h = AgentHarness.of(new NewestFirst(), 1, 4);
        int old = h.newTask();
        h.settle();
        assertThat(h.running(0)).isEqualTo(old);
        int young = h.newTask();
        h.settle();
        assertThat(h.running(0)).isEqualTo(young);
        assertThat(h.trace()).contains("0 ns  task " + old + " preempted by the agent, leaves cpu 0");
    }

    /** Runs the newest task at once. */
    private static final class NewestFirst implements Agent {
        @Override
        public void reset(Enclave enclave) {}

        @Override
        public int doWork(Enclave enclave) {
            int work = 0;
            for (Message message = enclave.peek(); message != null; message = enclave.peek()) {
                if (message.type() == MessageType.TASK_NEW) {
                    enclave.stage(enclave.open(0, message.task()).commitFlags(Transaction.AT_COMMIT));
                }
                enclave.consume();
                work++;
            }
            work += enclave.outcomes((cpu, number, identity, outcome) -> {});
            enclave.commit();
            return work;
        }
    }

    @Test
    void mistakesOfTheTestAreNamed() {
        AgentHarness h = AgentHarness.of(new FifoAgent(), 1, 1);
        assertThatThrownBy(() -> h.block(0)).isInstanceOf(IllegalStateException.class)
                .hasMessage("block cpu 0: it runs no task");
        int task = h.newTask();
        assertThatThrownBy(h::newTask).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("all 1 are taken");
        assertThatThrownBy(() -> h.wake(task)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("it is runnable");
        assertThatThrownBy(() -> h.advance(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> AgentHarness.of(new FifoAgent(), new EnclaveShape(2, 4, 2, 8, 1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPolicyThatThrowsAndOneThatNeverRestsAreReported() {
        AgentHarness h = AgentHarness.of(new Broken(), 1, 4);
        assertThatThrownBy(h::settle).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("still finds work");
        h.newTask();
        assertThatThrownBy(h::step).isInstanceOf(UnsupportedOperationException.class);
    }

    /** Claims to work for ever, and fails at the first task. */
    private static final class Broken implements Agent {
        @Override
        public void reset(Enclave enclave) {}

        @Override
        public int doWork(Enclave enclave) {
            Message message = enclave.peek();
            if (message != null && message.type() == MessageType.TASK_NEW) {
                throw new UnsupportedOperationException("tasks");
            }
            if (message != null) {
                enclave.consume();
            }
            return 1;
        }
    }
}
