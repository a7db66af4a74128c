package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;

/**
 * A queue for each CPU; a task goes to the CPU that its class names, modulo CPUs, whatever waits there: steering by class, or by
 * flow where the class is a bucket of its hash, as in receive-side scaling. If that CPU may not be used, the next one.
 */
public final class ClassPerCpuAgent extends QueueAgent {
    private TaskQueue[] queues = {};
    private int[] queueOf = {};
    private int[] taskClass = {};

    @Override
    protected void clear(EnclaveShape shape) {
        queues = new TaskQueue[shape.cpus()];
        for (int cpu = 0; cpu < queues.length; cpu++) {
            queues[cpu] = new TaskQueue(shape.tasks());
        }
        queueOf = new int[shape.tasks()];
        taskClass = new int[shape.tasks()];
    }

    @Override
    protected void observe(Message message) {
        MessageType type = message.type();
        if (type != null && type.code() < MessageType.CPU_TICK.code()) {
            taskClass[message.task()] = message.taskClass();
        }
    }

    @Override
    protected void enqueue(int task) {
        int home = taskClass[task] % queues.length;
        int cpu = home;
        for (int i = 0; i < queues.length && !(isAvailable(cpu) && mayUse(task, cpu)); i++) {
            cpu = cpu + 1 == queues.length ? 0 : cpu + 1;
        }
        queueOf[task] = cpu;
        queues[cpu].addLast(task);
    }

    @Override
    protected void remove(int task) {
        queues[queueOf[task]].remove(task);
    }

    /** All find their places again: those that wait elsewhere for this CPU as well. */
    @Override
    protected void cpuChanged(int cpu) {
        for (TaskQueue queue : queues) {
            for (int left = queue.size(); left > 0; left--) {
                int task = queue.peekFirst();
                queue.remove(task);
                enqueue(task);
            }
        }
    }

    @Override
    protected int pick(int cpu) {
        return takeFirst(queues[cpu], cpu);
    }
}
