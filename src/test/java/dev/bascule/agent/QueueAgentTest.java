package dev.bascule.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.host.AgentHarness;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.VirtualClock;
import dev.bascule.ring.Waiter;
import dev.bascule.memory.PinnedMemory;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** The books of {@link QueueAgent} under a random world, against a policy that accepts no inconsistency. */
class QueueAgentTest {
    private static final EnclaveShape SHAPE = new EnclaveShape(3, 10, 1, 8, 2); // a short channel: it overflows
    private static final int SEEDS = 150;
    private static final int STEPS = 400;

    /** Fails at once when a task is queued twice, taken out though not in, or picked from nowhere. */
    private static final class Strict extends QueueAgent {
        final Set<Integer> queued = new HashSet<>();
        int resets;

        @Override
        protected void clear(EnclaveShape shape) {
            queued.clear();
            resets++;
        }

        @Override
        protected void enqueue(int task) {
            assertThat(queued.add(task)).as("task %d queued once", task).isTrue();
        }

        @Override
        protected void remove(int task) {
            assertThat(queued.remove(task)).as("task %d was queued", task).isTrue();
        }

        @Override
        protected int pick(int cpu) {
            for (int task : queued) {
                if (mayUse(task, cpu)) {
                    queued.remove(task);
                    return task;
                }
            }
            return NONE;
        }
    }

    /** Picks what the test says, whatever is queued. */
    private static final class Wrong extends QueueAgent {
        private final IntUnaryOperator answer;

        Wrong(IntUnaryOperator answer) {
            this.answer = answer;
        }

        @Override
        protected void clear(EnclaveShape shape) {}

        @Override
        protected void enqueue(int task) {}

        @Override
        protected void remove(int task) {}

        @Override
        protected int pick(int cpu) {
            return answer.applyAsInt(cpu);
        }

        boolean asks(int task, int cpu) {
            return mayUse(task, cpu) && runningOn(cpu) == NONE && roomOn(cpu) == 0;
        }
    }

    private static AgentHarness withTasks(Wrong policy) {
        AgentHarness h = AgentHarness.of(policy, 2, 4);
        h.newTask();
        h.newTask(false, -1, 0, 0);
        return h;
    }

    @Test
    void aPickOfATaskThatIsNotQueuedIsRefusedAtOnce() {
        AgentHarness h = withTasks(new Wrong(cpu -> 1));
        assertThatThrownBy(h::step).isInstanceOf(PolicyException.class).hasMessageContaining(Wrong.class.getName())
                .hasMessageContaining("CPU 0").hasMessageContaining("task 1, which is not queued");
    }

    @Test
    void aTaskThatIsPickedTwiceIsRefusedAtOnce() {
        AgentHarness h = withTasks(new Wrong(cpu -> 0));
        h.newTask(); // else nothing is queued and nobody asks
        assertThatThrownBy(h::step).isInstanceOf(PolicyException.class).hasMessageContaining("CPU 1")
                .hasMessageContaining("task 0, which it has picked already");
    }

    @Test
    void aPickOfATaskThatDoesNotExistIsRefusedAtOnce() {
        for (int none : new int[] { 4, -2, Integer.MAX_VALUE }) {
            AgentHarness h = withTasks(new Wrong(cpu -> none));
            assertThatThrownBy(h::step).isInstanceOf(PolicyException.class)
                    .hasMessageContaining("returned task " + none + ", which is none: tasks are 0 to 3");
        }
    }

    @Test
    void aCpuOutOfRangeIsNamed() {
        for (int none : new int[] { -1, 2, 64 }) {
            Wrong[] policy = new Wrong[1];
            policy[0] = new Wrong(cpu -> policy[0].asks(0, none) ? 0 : QueueAgent.NONE);
            AgentHarness h = withTasks(policy[0]);
            assertThatThrownBy(h::step).isInstanceOf(PolicyException.class)
                    .hasMessageContaining("asks about CPU " + none + ", but CPUs are 0 to 1");
        }
    }

    private final VirtualClock clock = new VirtualClock();
    private final int[] live = new int[SHAPE.tasks()]; // 0 absent, 1 blocked, 2 runnable or on a CPU
    private SplittableRandom random = new SplittableRandom(0);

    @Test
    void noTaskIsQueuedTwiceOrForgotten() {
        int resets = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            random = new SplittableRandom(seed);
            java.util.Arrays.fill(live, 0);
            var memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
            Mechanism host = new Mechanism(LocalHost.open(memory, SHAPE, Waiter.NAPS), clock::nanoTime,
                    DecisionListener.NONE);
            Strict policy = new Strict();
            AgentLoop agent = new AgentLoop(policy, LocalAgent.attach(memory, 0, 1, Doorbell.NONE), clock::nanoTime);
            for (int step = 0; step < STEPS; step++) {
                clock.advance(1 + random.nextInt(1000));
                step(host, agent);
            }
            drain(host, agent, seed);
            assertThat(policy.queued).as("nothing waits, seed %d", seed).isEmpty();
            resets += policy.resets;
        }
        assertThat(resets).as("resyncs were part of it").isGreaterThan(SEEDS);
    }

    /** A decision for a CPU that was taken meanwhile is refused without a message; its task goes to another CPU at once. */
    @Test
    void aRefusalOfACpuThatIsAwayIsSeenInTheNextRound() {
        var memory = PinnedMemory.allocate(LocalHost.sizeBytes(SHAPE));
        Mechanism host = new Mechanism(LocalHost.open(memory, SHAPE, Waiter.NAPS), clock::nanoTime,
                DecisionListener.NONE);
        AgentLoop agent = new AgentLoop(new Strict(), LocalAgent.attach(memory, 0, 1, Doorbell.NONE), clock::nanoTime);
        agent.turn();
        int task = host.create(true, -1, 0, 0);
        host.commit();
        agent.turn();
        host.cpuBusy(0);
        host.commit();
        agent.turn();
        assertThat(host.decide(0)).as("a CPU that is away").isEqualTo(Mechanism.NONE);
        host.commit();
        assertThat(agent.turn()).as("the refusal, and the decision for the next CPU").isEqualTo(2);
        assertThat(host.decide(1)).isEqualTo(task);
    }

    private void step(Mechanism host, AgentLoop agent) {
        int cpu = random.nextInt(SHAPE.cpus());
        int task = random.nextInt(SHAPE.tasks());
        switch (random.nextInt(8)) {
            case 0, 1 -> agent.turn();
            case 2 -> comeOrGo(host, task);
            case 3 -> {
                if (live[task] == 1) {
                    host.wakeup(task, 0);
                    live[task] = 2;
                }
            }
            case 4 -> change(host, task);
            default -> {
                if (host.current(cpu) == Mechanism.NONE) {
                    host.decide(cpu);
                } else {
                    leave(host, host.current(cpu));
                }
            }
        }
        host.commit();
    }

    private void comeOrGo(Mechanism host, int task) {
        if (live[task] == 0) {
            boolean runnable = random.nextBoolean();
            int id = host.create(runnable, 1 + random.nextInt(7), 0, 0);
            live[id] = runnable ? 2 : 1;
        } else if (!isOnCpu(host, task) && random.nextInt(3) == 0) {
            host.killed(task);
            live[task] = 0;
        }
    }

    private void change(Mechanism host, int task) {
        if (live[task] != 0) {
            host.setAffinity(task, 1 + random.nextInt(7));
        }
    }

    private void leave(Mechanism host, int task) {
        switch (random.nextInt(4)) {
            case 0 -> host.yielded(task, 1);
            case 1 -> host.preempted(task, 1);
            case 2 -> {
                host.exited(task, 1);
                live[task] = 0;
            }
            default -> {
                host.blocked(task, 1);
                live[task] = 1;
            }
        }
    }

    private static boolean isOnCpu(Mechanism host, int task) {
        for (int cpu = 0; cpu < SHAPE.cpus(); cpu++) {
            if (host.current(cpu) == task) {
                return true;
            }
        }
        return false;
    }

    /** From here on every task that gets a CPU blocks; a forgotten one would wait for ever. */
    private void drain(Mechanism host, AgentLoop agent, long seed) {
        int quiet = 0;
        for (int round = 0; quiet < 3; round++) {
            assertThat(round).as("seed %d: %d tasks are never decided", seed, host.runnableCount()).isLessThan(1000);
            int work = agent.turn();
            for (int cpu = 0; cpu < SHAPE.cpus(); cpu++) {
                int task = host.current(cpu) == Mechanism.NONE ? host.decide(cpu) : host.current(cpu);
                if (task != Mechanism.NONE) {
                    host.blocked(task, 1);
                    work++;
                }
            }
            host.commit();
            quiet = work == 0 && host.runnableCount() == 0 ? quiet + 1 : 0;
        }
    }
}
