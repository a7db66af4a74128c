package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;
import dev.bascule.agent.Topology;
import java.util.Arrays;

/**
 * Core scheduling for virtual machines: the SMT siblings of a core, as the enclave's {@link Topology} tells them, never
 * run different machines at the same time. A machine is a task class. It holds a core for a tenure; then the core empties
 * and the next takes it. Idle cores are filled with one virtual CPU each before siblings share, which also keeps more of
 * the turbo.
 */
public final class GangAgent extends QueueAgent {
    private final long tenureNanos;
    private TaskQueue queue = new TaskQueue(0);
    private Topology topology = Topology.flat(1);
    private int[] machine = {};
    private int[] given = {};
    private long[] tenureSince = {};

    /** With a tenure in ns, at least 1. */
    public GangAgent(long tenureNanos) {
        if (tenureNanos < 1) {
            throw new IllegalArgumentException("gang: tenure is " + tenureNanos + " ns, must be at least 1");
        }
        this.tenureNanos = tenureNanos;
    }

    @Override
    protected void clear(EnclaveShape shape) {
        queue = new TaskQueue(shape.tasks());
        machine = new int[shape.tasks()];
        topology = shape.topology();
        given = new int[shape.cpus()];
        Arrays.fill(given, NONE);
        tenureSince = new long[topology.cores()];
    }

    @Override
    protected void observe(Message message) {
        MessageType type = message.type();
        if (type == null || type.code() >= MessageType.CPU_TICK.code()) {
            return;
        }
        int task = message.task();
        machine[task] = message.taskClass();
        int cpu = message.cpu();
        if (!message.leavesRunnable() || type == MessageType.TASK_YIELD || type == MessageType.TASK_PREEMPT) {
            takeBack(task); // also of a task that ends before the CPU that it was given to has looked
        }
        if ((message.flags() & Message.ONCPU) != 0 && cpu < given.length) {
            given[cpu] = task;
        }
    }

    @Override
    protected void enqueue(int task) {
        takeBack(task); // the decision was refused
        queue.addLast(task);
    }

    private void takeBack(int task) {
        for (int cpu = 0; cpu < given.length; cpu++) {
            if (given[cpu] == task) {
                given[cpu] = NONE;
            }
        }
    }

    @Override
    protected void remove(int task) {
        queue.remove(task);
    }

    @Override
    protected int pick(int cpu) {
        if (given[cpu] != NONE) {
            return NONE; // nothing is staged behind another virtual CPU: the sibling may have changed by then
        }
        int core = topology.coreOf(cpu);
        int neighbour = taskOn(core);
        if (neighbour != NONE && (now() - tenureSince[core] > tenureNanos && queue.size() > 0 || isFreeCore())) {
            return NONE;
        }
        for (int task = queue.peekFirst(); task != NONE; task = queue.after(task)) {
            if (mayUse(task, cpu) && (neighbour == NONE || machine[task] == machine[neighbour])) {
                queue.remove(task);
                given[cpu] = task;
                if (neighbour == NONE) {
                    tenureSince[core] = now();
                }
                return task;
            }
        }
        return NONE;
    }

    /** A task on one of the core's CPUs; all that run there are of one machine. */
    private int taskOn(int core) {
        int first = core * topology.siblings();
        for (int cpu = first; cpu < Math.min(first + topology.siblings(), given.length); cpu++) {
            if (given[cpu] != NONE) {
                return given[cpu];
            }
        }
        return NONE;
    }

    private boolean isFreeCore() {
        for (int core = 0; core < tenureSince.length; core++) {
            if (taskOn(core) == NONE && isAvailableCore(core)) {
                return true;
            }
        }
        return false;
    }

    private boolean isAvailableCore(int core) {
        int first = core * topology.siblings();
        for (int cpu = first; cpu < Math.min(first + topology.siblings(), given.length); cpu++) {
            if (isAvailable(cpu)) {
                return true;
            }
        }
        return false;
    }

    @Override
    protected long sliceNanos(int task) {
        return tenureNanos;
    }
}
