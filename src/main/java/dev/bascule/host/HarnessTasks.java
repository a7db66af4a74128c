package dev.bascule.host;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.VirtualClock;
import dev.bascule.ring.Waiter;
import java.util.ArrayList;
import java.util.List;

/** The part of the {@link AgentHarness} in which tasks come, go and change; and the trace of it. */
abstract sealed class HarnessTasks permits AgentHarness {
    private static final int NONE = Mechanism.NONE;

    final EnclaveShape shape;
    final PinnedMemory memory;
    final VirtualClock clock = new VirtualClock();
    final LocalHost end;
    final Mechanism host;
    final long[] startedNanos;
    final List<String> trace = new ArrayList<>();

    HarnessTasks(EnclaveShape shape) {
        this.shape = shape;
        memory = PinnedMemory.allocate(LocalHost.sizeBytes(shape));
        end = new LocalHost(memory, shape, Waiter.NAPS);
        host = new Mechanism(end, clock::nanoTime, (decision, outcome, now) -> settled(trace, decision, outcome, now));
        startedNanos = new long[shape.cpus()];
    }

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
        return told(task, "new, " + (runnable ? "runnable" : "blocked"));
    }

    /** The blocked task becomes runnable. */
    public void wake(int task) {
        wake(task, 0);
    }

    /** The blocked task becomes runnable, with a deadline hint in ns; 0: none. */
    public void wake(int task, long deadlineNanos) {
        host.wakeup(task, deadlineNanos);
        told(task, "woken");
    }

    /** The task on the CPU waits for something: it needs {@link #wake} before it can run again. */
    public void block(int cpu) {
        int task = current(cpu, "block");
        host.blocked(task, ran(cpu));
        told(task, "blocks, leaves cpu " + cpu);
    }

    /** The task on the CPU gives it back and stays runnable. */
    public void yield(int cpu) {
        int task = current(cpu, "yield");
        host.yielded(task, ran(cpu));
        told(task, "yields cpu " + cpu);
    }

    /** The task on the CPU is taken off and stays runnable. */
    public void preempt(int cpu) {
        preempt(cpu, "preempted");
    }

    /** The task on the CPU is done; its id may be used again. */
    public void exit(int cpu) {
        int task = current(cpu, "exit");
        host.exited(task, ran(cpu));
        told(task, "exits on cpu " + cpu);
    }

    /** A task that is on no CPU is killed. */
    public void kill(int task) {
        host.killed(task);
        told(task, "killed");
    }

    /** Changes the CPUs a task may use, bit n for CPU n. */
    public void setAffinity(int task, long mask) {
        host.setAffinity(task, mask);
        told(task, "may use cpus 0x" + Long.toHexString(mask));
    }

    /** Changes a task's priority, -20 (first) to 19. */
    public void setPriority(int task, int nice) {
        host.setPriority(task, nice);
        told(task, "has priority " + nice);
    }

    final int told(int task, String what) {
        host.commit();
        note("task " + task + " " + what);
        return task;
    }

    final void preempt(int cpu, String why) {
        int task = current(cpu, "preempt");
        host.preempted(task, ran(cpu));
        told(task, why + ", leaves cpu " + cpu);
    }

    private int current(int cpu, String step) {
        int task = host.current(cpu);
        if (task == NONE) {
            throw new IllegalStateException(step + " cpu " + cpu + ": it runs no task");
        }
        return task;
    }

    final long ran(int cpu) {
        return clock.nanoTime() - startedNanos[cpu];
    }

    private static void settled(List<String> trace, Transaction decision, Outcome outcome, long nanos) {
        if (outcome != Outcome.COMPLETE) {
            trace.add(nanos + " ns  cpu " + decision.slotCpu() + " refuses task " + decision.task() + ": " + outcome);
        }
    }

    final void note(String what) {
        trace.add(clock.nanoTime() + " ns  " + what);
    }
}
