package dev.bascule.host;

import dev.bascule.agent.Agent;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.StarvationWatch;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.VirtualClock;
import dev.bascule.ring.Waiter;
import java.util.ArrayList;
import java.util.List;

/**
 * Drives a policy by hand, in virtual time: no threads, no devices, the same result every time. What a policy's unit
 * tests are written with. Below the policy everything is real: the mechanism that validates decisions, and the queues of
 * the on-host transport in ordinary memory.
 *
 * <pre>{@code
 * AgentHarness h = AgentHarness.of(new RoundRobinAgent(1_000), 1, 8);
 * int first = h.newTask();
 * int second = h.newTask();
 * h.step();                          // the agent decides, the CPU starts the task
 * assert h.running(0) == first;
 * h.advance(1_000);                  // the slice is over
 * assert h.running(0) == second;
 * h.block(0);                        // the task waits for something
 * h.step();
 * assert h.running(0) == first;
 * h.trace().forEach(System.out::println);
 * }</pre>
 *
 * Events ({@link #newTask}, {@link #wake}, {@link #block} ...) only tell the agent; nothing is decided before the next
 * {@link #step} or {@link #advance}. Times are ns since the harness was made. A policy's exception goes to the caller.
 * <p>
 * Thread rule: one thread. The memory is freed with the object.
 */
public final class AgentHarness {
    /** No task. */
    public static final int NONE = Mechanism.NONE;
    /** Time from one round of the agent to the next while time {@linkplain #advance advances}, ns. */
    public static final long ROUND_NANOS = 1_000;

    /** How long a task may wait for a CPU, ns, as in the simulated host. */
    public static final long STARVATION_NANOS = 100_000_000;

    private static final int MOST_QUIET_STEPS = 10_000;

    private final EnclaveShape shape;
    private final PinnedMemory memory;
    private final VirtualClock clock = new VirtualClock();
    private final RegionHost end;
    private final Mechanism host;
    private final long[] startedNanos;
    private final List<String> trace = new ArrayList<>();
    private final StarvationWatch starvation;
    private AgentLoop loop;
    private long attached;

    private AgentHarness(Agent agent, EnclaveShape shape) {
        this.shape = shape;
        memory = PinnedMemory.allocate(LocalHost.sizeBytes(shape));
        end = LocalHost.open(memory, shape, Waiter.NAPS);
        host = new Mechanism(end, clock, (decision, outcome, now) -> settled(trace, decision, outcome, now));
        starvation = StarvationWatch.virtual(host, STARVATION_NANOS);
        startedNanos = new long[shape.cpus()];
        loop = attach(agent);
        loop.turn();
    }

    /** A policy with one global agent, CPUs 0 to {@code cpus - 1}, room for {@code tasks} tasks, and no task yet. */
    public static AgentHarness of(Agent agent, int cpus, int tasks) {
        return of(agent, EnclaveShape.of(cpus, tasks));
    }

    /**
     * A policy with one global agent, an enclave of this shape, and no task yet: short channels provoke overflows, more
     * staged decisions prestaging.
     *
     * @throws IllegalArgumentException if the shape has several agents
     */
    public static AgentHarness of(Agent agent, EnclaveShape shape) {
        if (shape.agents() > 1) {
            throw new IllegalArgumentException("agent harness: shape has " + shape.agents()
                    + " agents, drives one; use a shape with one global agent");
        }
        return new AgentHarness(agent, shape);
    }

    private AgentLoop attach(Agent agent) {
        return new AgentLoop(agent, LocalAgent.attach(memory, 0, ++attached, Doorbell.NONE), clock);
    }

    // ---- tasks -------------------------------------------------------------------------------------------------

    /** A new runnable task that may use any CPU; returns its id. */
    public int newTask() {
        return newTask(true, -1, 0, 0);
    }

    /**
     * A new task; returns its id.
     *
     * @param affinity CPUs it may use, bit n for CPU n; -1 for any
     * @param nice priority, -20 (first) to 19
     * @param taskClass application's class hint, 0 to 255
     * @throws IllegalStateException if the enclave is full
     */
    public int newTask(boolean runnable, long affinity, int nice, int taskClass) {
        int task = host.create(runnable, affinity, nice, taskClass);
        if (task == NONE) {
            throw new IllegalStateException("new task: all " + shape.tasks()
                    + " are taken; make the harness with more, or let some exit");
        }
        return record(task, "new, " + (runnable ? "runnable" : "blocked"));
    }

    /** The blocked task becomes runnable. */
    public void wake(int task) {
        wake(task, 0);
    }

    /** The blocked task becomes runnable, with a deadline hint in ns; 0: none. */
    public void wake(int task, long deadlineNanos) {
        wake(task, deadlineNanos, 0);
    }

    /**
     * The blocked task becomes runnable, with a deadline hint in ns (0: none) and the CPU time in ns that it is
     * expected to need until it blocks again (0: not known).
     */
    public void wake(int task, long deadlineNanos, long expectedNanos) {
        host.wakeup(task, deadlineNanos, expectedNanos);
        record(task, "woken");
    }

    /** The task on the CPU waits for something: it needs {@link #wake} before it can run again. */
    public void block(int cpu) {
        int task = current(cpu, "block");
        host.blocked(task, ran(cpu));
        record(task, "blocks, leaves cpu " + cpu);
    }

    /** The task on the CPU gives it back and stays runnable. */
    public void yield(int cpu) {
        int task = current(cpu, "yield");
        host.yielded(task, ran(cpu));
        record(task, "yields cpu " + cpu);
    }

    /** The task on the CPU is taken off and stays runnable. */
    public void preempt(int cpu) {
        preempt(cpu, "preempted");
    }

    /** The task on the CPU is done; its id may be used again. */
    public void exit(int cpu) {
        int task = current(cpu, "exit");
        host.exited(task, ran(cpu));
        record(task, "exits on cpu " + cpu);
    }

    /** A task that is on no CPU is killed. */
    public void kill(int task) {
        host.killed(task);
        record(task, "killed");
    }

    /** Changes the CPUs a task may use, bit n for CPU n; one that runs on another one leaves it. */
    public void setAffinity(int task, long mask) {
        host.setAffinity(task, mask);
        record(task, "may use cpus 0x" + Long.toHexString(mask));
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            takeOff(cpu, "may not use it any more");
        }
    }

    /** Changes a task's priority, -20 (first) to 19. */
    public void setPriority(int task, int nice) {
        host.setPriority(task, nice);
        record(task, "has priority " + nice);
    }

    private int record(int task, String what) {
        host.commit();
        note("task " + task + " " + what);
        return task;
    }

    private void preempt(int cpu, String why) {
        int task = current(cpu, "preempt");
        host.preempted(task, ran(cpu));
        record(task, why + ", leaves cpu " + cpu);
    }

    private int current(int cpu, String step) {
        int task = host.current(cpu);
        if (task == NONE) {
            throw new IllegalStateException(step + " cpu " + cpu + ": it runs no task");
        }
        return task;
    }

    private long ran(int cpu) {
        return clock.nanoTime() - startedNanos[cpu];
    }

    private static void settled(List<String> trace, Transaction decision, Outcome outcome, long nanos) {
        if (outcome != Outcome.COMPLETE) {
            trace.add(nanos + " ns  cpu " + decision.slotCpu() + " refuses task " + decision.task() + ": " + outcome);
        }
    }

    private void note(String what) {
        trace.add(clock.nanoTime() + " ns  " + what);
    }

    // ---- CPUs, ticks and trouble -------------------------------------------------------------------------------

    /** Something outside the enclave takes the CPU: what runs there is taken off, and decisions for it fail. */
    public void takeCpu(int cpu) {
        host.cpuBusy(cpu);
        changed(cpu, "taken");
    }

    /** The enclave has the CPU back. */
    public void giveCpu(int cpu) {
        host.cpuAvailable(cpu);
        changed(cpu, "given back");
    }

    /** The CPU is unplugged: what runs there is taken off, and decisions for it fail until it is {@linkplain #onlineCpu back}. */
    public void offlineCpu(int cpu) {
        host.cpuOffline(cpu);
        changed(cpu, "offline");
    }

    /** The CPU is plugged in again. */
    public void onlineCpu(int cpu) {
        host.cpuOnline(cpu);
        changed(cpu, "online");
    }

    private void changed(int cpu, String what) {
        host.commit();
        note("cpu " + cpu + " " + what);
        takeOff(cpu, "its cpu is " + what);
    }

    private void takeOff(int cpu, String why) {
        if (host.mustLeave(cpu)) {
            preempt(cpu, why);
        }
    }

    /** The periodic tick of a CPU. */
    public void tick(int cpu) {
        host.tick(cpu);
        host.commit();
    }

    /** Makes the agent believe that messages were lost: it is reset and reads the status words. */
    public void resync() {
        end.requestResync(0);
        note("agent must read the status words");
    }

    /** Fences the agent and gives its place to another, as after a crash; running tasks go on. */
    public void replaceAgent(Agent successor) {
        int epoch = host.fence(0);
        note("agent replaced, epoch " + epoch);
        loop = attach(successor);
        loop.turn();
    }

    // ---- time --------------------------------------------------------------------------------------------------

    /**
     * One moment: slices that are over end, the agent has one round, and every CPU without a task takes the agent's next
     * decision. Time stands still.
     *
     * @return what was done: the agent's work, tasks started and tasks taken off; 0 if nothing happened
     */
    public int step() {
        int work = 0;
        String starves = starvation.look(clock.nanoTime());
        if (starves != null) {
            note(starves);
        }
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            if (isSliceOver(cpu)) {
                preempt(cpu, "slice is over");
                work++;
            }
        }
        work += loop.turn();
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            if (host.current(cpu) != NONE && host.isPreemptionWanted(cpu)) {
                preempt(cpu, "preempted by the agent");
                work++;
            }
            work += host.current(cpu) == NONE ? start(cpu) : 0;
        }
        host.commit();
        return work;
    }

    private int start(int cpu) {
        host.want(cpu);
        int task = host.decide(cpu);
        if (task == NONE) {
            return 0;
        }
        startedNanos[cpu] = clock.nanoTime();
        long slice = host.sliceNanos(cpu);
        note("cpu " + cpu + " runs task " + task + (slice == 0 ? "" : " for " + slice + " ns"));
        return 1;
    }

    /** As in the live host: the last task that could run keeps its CPU past its slice. */
    private boolean isSliceOver(int cpu) {
        return host.current(cpu) != NONE && host.sliceNanos(cpu) != 0 && ran(cpu) >= host.sliceNanos(cpu)
                && host.runnableCount() > 0;
    }

    /**
     * Steps until nothing happens any more.
     *
     * @throws IllegalStateException if the policy does not come to rest
     */
    public void settle() {
        int steps = 0;
        while (step() > 0) {
            if (++steps > MOST_QUIET_STEPS) {
                throw new IllegalStateException("settle at " + now() + " ns: the policy still finds work after "
                        + MOST_QUIET_STEPS + " rounds without a change of time");
            }
        }
    }

    /**
     * Lets time pass. The agent has a round whenever the time is a multiple of {@link #ROUND_NANOS} (so a timer of its
     * own expires at the first such moment), and everything comes to rest after each slice that ends, and at the end.
     *
     * @throws IllegalArgumentException if {@code nanos} is negative
     */
    public void advance(long nanos) {
        long until = clock.nanoTime() + nanos;
        if (nanos < 0) {
            throw new IllegalArgumentException("advance by " + nanos + " ns: time does not go back");
        }
        settle();
        while (clock.nanoTime() < until) {
            long now = clock.nanoTime();
            clock.set(Math.min(until, Math.min(now - now % ROUND_NANOS + ROUND_NANOS, nextSliceEnd(now))));
            settle();
        }
    }

    private long nextSliceEnd(long now) {
        long next = Long.MAX_VALUE;
        for (int cpu = 0; cpu < shape.cpus(); cpu++) {
            long slice = host.sliceNanos(cpu);
            if (host.current(cpu) != NONE && slice != 0 && startedNanos[cpu] + slice > now) {
                next = Math.min(next, startedNanos[cpu] + slice);
            }
        }
        return next;
    }

    // ---- what happened -----------------------------------------------------------------------------------------

    /**
     * Checks that no task has waited for a CPU for longer than {@link #STARVATION_NANOS}.
     *
     * @throws AssertionError if one has; names it, and the agent's last words about it
     */
    public void assertNobodyStarves() {
        assertNobodyStarves(STARVATION_NANOS);
    }

    /**
     * Checks that no task has waited for a CPU for longer than the limit, ns.
     *
     * @throws AssertionError if one has; names it, and the agent's last words about it
     */
    public void assertNobodyStarves(long limitNanos) {
        starvation.look(clock.nanoTime());
        for (int task = 0; task < shape.tasks(); task++) {
            if (host.waits().longestNanos(task) > limitNanos) {
                long waits = host.waits().waitedNanos(task);
                throw new AssertionError("at " + now() + " ns: task " + task + (waits > limitNanos
                        ? " is runnable and has waited for " + waits
                        : " has waited for " + host.waits().longestNanos(task)) + " ns, more than " + limitNanos + "; "
                        + host.waits().lastWords(task));
            }
        }
    }

    /** The task on the CPU, or {@link #NONE}. */
    public int running(int cpu) {
        return host.current(cpu);
    }

    /** Virtual time, ns since the harness was made. */
    public long now() {
        return clock.nanoTime();
    }

    /** The mechanism below, for its counters. Changing things through it bypasses the trace. */
    public Mechanism mechanism() {
        return host;
    }

    /** Everything that happened, a line each, beginning with its time: {@code 2000 ns  cpu 0 runs task 1}. A copy. */
    public List<String> trace() {
        return List.copyOf(trace);
    }
}
