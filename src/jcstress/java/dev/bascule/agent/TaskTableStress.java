package dev.bascule.agent;

import dev.bascule.agent.region.RegionAgent;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.Shared;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * CPUs take a runnable task, each under its own lock only, beside each other and beside whoever wakes it or gives it
 * back: it is on one CPU at most, by a decision that holds, and table and status word say so at the end.
 */
public class TaskTableStress {
    private static final EnclaveShape SHAPE = new EnclaveShape(2, 1, 1, 8, 1);
    private static final long AGENT = 1;
    private static final int RAN = 77;

    private final Mechanism host;
    private final RegionAgent agent;
    private final StatusWord word = new StatusWord();
    private final int task;

    TaskTableStress(boolean isRunnable) {
        PinnedMemory memory = Shared.part(LocalHost.sizeBytes(SHAPE));
        RegionHost end = LocalHost.open(memory, SHAPE, timeoutNanos -> false);
        host = new Mechanism(end, () -> 0, (decision, outcome, nanos) -> {});
        task = host.create(isRunnable, -1, 0, 0);
        agent = LocalAgent.attach(memory, 0, AGENT, cpu -> {});
    }

    /** A decision for the task as it is after so many more events. */
    TaskTableStress decided(int cpu, int events) {
        int sequence = host.sequence(task);
        for (int i = 0; i < events; i++) {
            sequence = Identity.next(sequence);
        }
        agent.stage(cpu, new Transaction().set(cpu, agent.epoch(), sequence, task));
        return this;
    }

    /** Looks twice: a decision that did not hold at first stays parked. */
    int take(int cpu) {
        int taken = host.decideAlone(cpu);
        return (taken == Mechanism.HELD ? host.decideAlone(cpu) : taken) == task ? 1 : 0;
    }

    /** Who runs it, and what the agents read of it. */
    void look(IIII_Result r) {
        r.r2 = host.current(1);
        boolean whole = agent.status().read(task, word);
        r.r3 = !whole ? -1 : word.isOnCpu() ? word.cpu : word.isWaiting() ? -2 : -3;
        r.r4 = (int) (word.deadlineNanos + word.runtimeNanos);
    }

    /** Two CPUs have a decision for one task. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "CPU 0 took it")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "CPU 1 took it")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both took it, or none did")
    @State
    public static class TwoTake {
        private final TaskTableStress host = new TaskTableStress(true).decided(0, 0).decided(1, 0);

        /** One. */
        @Actor
        public void first(II_Result r) {
            r.r1 = host.take(0);
        }

        /** The other. */
        @Actor
        public void second(II_Result r) {
            r.r2 = host.take(1);
        }
    }

    /** A task is woken while CPU 1 already has the decision for it. */
    @JCStressTest
    @Outcome(id = "0, -1, -2, 77", expect = Expect.ACCEPTABLE, desc = "not taken: it waits")
    @Outcome(id = "1, 0, 1, 77", expect = Expect.ACCEPTABLE, desc = "taken: on CPU 1")
    @Outcome(expect = Expect.FORBIDDEN, desc = "taken before the wake-up was told, which then wrote over it")
    @State
    public static class TakeAndWake {
        private final TaskTableStress host = new TaskTableStress(false).decided(1, 1);

        /** An arrival. */
        @Actor
        public void wake() {
            host.host.wakeup(host.task, RAN);
        }

        /** The CPU. */
        @Actor
        public void cpu(IIII_Result r) {
            r.r1 = host.take(1);
        }

        /** What came of it. */
        @Arbiter
        public void look(IIII_Result r) {
            host.look(r);
        }
    }

    /** CPU 0 gives the task back while CPU 1 already has the next decision for it. */
    @JCStressTest
    @Outcome(id = "0, -1, -2, 77", expect = Expect.ACCEPTABLE, desc = "not taken: it waits")
    @Outcome(id = "1, 0, 1, 77", expect = Expect.ACCEPTABLE, desc = "taken: on CPU 1, and on it alone")
    @Outcome(expect = Expect.FORBIDDEN, desc = "taken while CPU 0 still had it")
    @State
    public static class TakeAndGiveBack {
        private final TaskTableStress host = new TaskTableStress(true).decided(0, 0).decided(1, 1);

        /** CPU 0 runs it. */
        public TakeAndGiveBack() {
            if (host.take(0) != 1) {
                throw new IllegalStateException("CPU 0 did not get its task");
            }
        }

        /** CPU 0. */
        @Actor
        public void giveBack() {
            host.host.preempted(host.task, RAN);
        }

        /** CPU 1. */
        @Actor
        public void cpu(IIII_Result r) {
            r.r1 = host.take(1);
        }

        /** What came of it. */
        @Arbiter
        public void look(IIII_Result r) {
            host.look(r);
        }
    }
}
