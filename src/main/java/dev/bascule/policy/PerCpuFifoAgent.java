package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;

/**
 * First in, first out, with a queue for each CPU. A task goes to the CPU that it may use and that has least to do; there
 * it stays, even if another runs empty (ghOSt: fifo/per_cpu).
 */
public final class PerCpuFifoAgent extends QueueAgent {
    private TaskQueue[] queues = {};
    private int[] queueOf = {};
    private int turn;

    @Override
    protected void clear(EnclaveShape shape) {
        queues = new TaskQueue[shape.cpus()];
        for (int cpu = 0; cpu < queues.length; cpu++) {
            queues[cpu] = new TaskQueue(shape.tasks());
        }
        queueOf = new int[shape.tasks()];
    }

    @Override
    protected void enqueue(int task) {
        int best = NONE;
        for (int i = 0; i < queues.length; i++) {
            int cpu = (turn + i) % queues.length;
            if (mayUse(task, cpu) && (best == NONE || load(cpu) < load(best))) {
                best = cpu;
            }
        }
        turn = (turn + 1) % queues.length;
        queueOf[task] = Math.max(0, best);
        queues[queueOf[task]].addLast(task);
    }

    private int load(int cpu) {
        return queues[cpu].size() + (runningOn(cpu) == NONE ? 0 : 1);
    }

    @Override
    protected void remove(int task) {
        queues[queueOf[task]].remove(task);
    }

    @Override
    protected int pick(int cpu) {
        return takeFirst(queues[cpu], cpu);
    }
}
