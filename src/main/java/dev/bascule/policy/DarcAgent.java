package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;

/**
 * DARC (Perséphone, SOSP'21): CPUs are reserved for classes of requests in proportion to the work each brings, shorter
 * classes first and at least one each; a class may also use the CPUs of longer ones, never those of shorter ones. Not
 * work conserving on purpose: a short request finds a CPU that no long one holds. Requests run to completion.
 */
public final class DarcAgent extends QueueAgent {
    private final double[] work;
    private TaskQueue[] queues = {};
    private int[] taskClass = {};
    private int[] queueOf = {};
    private int[] reservedFor = {};

    /** @param work per class, shortest requests first: share of requests times mean service time, above 0 */
    public DarcAgent(double... work) {
        for (double one : work) {
            if (!(one > 0)) {
                throw new IllegalArgumentException("darc: a class brings work of " + one + ", must be above 0");
            }
        }
        if (work.length < 1) {
            throw new IllegalArgumentException("darc: no classes");
        }
        this.work = work.clone();
    }

    @Override
    protected void clear(EnclaveShape shape) {
        queues = new TaskQueue[work.length];
        for (int i = 0; i < queues.length; i++) {
            queues[i] = new TaskQueue(shape.tasks());
        }
        taskClass = new int[shape.tasks()];
        queueOf = new int[shape.tasks()];
        reservedFor = new int[shape.cpus()];
        reserve();
    }

    /** Among the CPUs that the enclave may use now. */
    private void reserve() {
        int count = 0;
        for (int cpu = 0; cpu < reservedFor.length; cpu++) {
            count += isAvailable(cpu) ? 1 : 0;
        }
        int[] share = reserve(work, count);
        int next = 0;
        for (int cpu = 0; cpu < reservedFor.length; cpu++) {
            if (isAvailable(cpu)) {
                reservedFor[cpu] = next == count - 1 ? work.length - 1 : share[next];
                next++;
            } else {
                reservedFor[cpu] = 0;
            }
        }
    }

    /** The CPUs are shared out anew, and what waits is sorted anew. */
    @Override
    protected void cpuChanged(int cpu) {
        reserve();
        for (TaskQueue queue : queues) {
            for (int left = queue.size(); left > 0; left--) {
                int task = queue.peekFirst();
                queue.remove(task);
                enqueue(task);
            }
        }
    }

    /** Class that each CPU is reserved for. With fewer CPUs than classes, the last one serves all that remain. */
    static int[] reserve(double[] work, int cpus) {
        double all = 0;
        for (double one : work) {
            all += one;
        }
        int[] reserved = new int[cpus];
        int cpu = 0;
        for (int c = 0; c < work.length && cpu < cpus; c++) {
            int left = work.length - c - 1;
            int share = c == work.length - 1 ? cpus - cpu : (int) Math.max(1, Math.round(work[c] / all * cpus));
            int most = Math.max(1, cpus - cpu - left);
            for (int i = 0; i < Math.min(share, most) && cpu < cpus; i++) {
                reserved[cpu++] = c;
            }
        }
        while (cpu < cpus) {
            reserved[cpu++] = work.length - 1;
        }
        return reserved;
    }

    @Override
    protected void observe(Message message) {
        MessageType type = message.type();
        if (type != null && type.code() < MessageType.CPU_TICK.code()) {
            taskClass[message.task()] = Math.min(message.taskClass(), queues.length - 1);
        }
    }

    @Override
    protected void enqueue(int task) {
        queueOf[task] = Math.min(taskClass[task], longest(task));
        queues[queueOf[task]].addLast(task);
    }

    /** The longest class whose CPUs the task may use: one that is bound to others counts to a shorter class. */
    private int longest(int task) {
        int longest = 0;
        for (int cpu = 0; cpu < reservedFor.length; cpu++) {
            if (mayUse(task, cpu)) {
                longest = Math.max(longest, reservedFor[cpu]);
            }
        }
        return longest;
    }

    @Override
    protected void remove(int task) {
        queues[queueOf[task]].remove(task);
    }

    @Override
    protected int pick(int cpu) {
        for (int c = 0; c <= reservedFor[cpu]; c++) {
            int task = takeFirst(queues[c], cpu);
            if (task != NONE) {
                return task;
            }
        }
        return NONE;
    }
}
