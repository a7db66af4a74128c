package dev.bascule.policy;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;
import dev.bascule.agent.Topology;
import java.util.Arrays;

/**
 * First in, first out, with a queue for each CPU. A task goes to the least loaded CPU that it may use, among equals to
 * one on the socket where it last ran. It stays there even if another CPU becomes idle (ghOSt: fifo/per_cpu), but not
 * if its CPU is taken away.
 */
public final class PerCpuFifoAgent extends QueueAgent {
    private TaskQueue[] queues = {};
    private int[] queueOf = {};
    private Topology topology = Topology.flat(1);
    private int turn;

    @Override
    protected void clear(EnclaveShape shape) {
        queues = new TaskQueue[shape.cpus()];
        for (int cpu = 0; cpu < queues.length; cpu++) {
            queues[cpu] = new TaskQueue(shape.tasks());
        }
        queueOf = new int[shape.tasks()];
        Arrays.fill(queueOf, NONE);
        topology = shape.topology();
    }

    @Override
    protected void enqueue(int task) {
        int best = NONE;
        for (int i = 0; i < queues.length; i++) {
            int cpu = (turn + i) % queues.length;
            if (mayUse(task, cpu) && (best == NONE || isBetter(task, cpu, best))) {
                best = cpu;
            }
        }
        turn = (turn + 1) % queues.length;
        queueOf[task] = Math.max(0, best);
        queues[queueOf[task]].addLast(task);
    }

    private boolean isBetter(int task, int cpu, int than) {
        return isAvailable(cpu) == isAvailable(than)
                ? distance(task, cpu) < distance(task, than)
                : isAvailable(cpu);
    }

    /** Tasks that wait before this one there; half a task more on another socket. */
    private int distance(int task, int cpu) {
        int last = queueOf[task];
        return 2 * load(cpu) + (last == NONE || topology.socketOf(cpu) == topology.socketOf(last) ? 0 : 1);
    }

    private int load(int cpu) {
        return queues[cpu].size() + (runningOn(cpu) == NONE ? 0 : 1);
    }

    @Override
    protected void remove(int task) {
        queues[queueOf[task]].remove(task);
    }

    @Override
    protected void cpuChanged(int cpu) {
        for (int left = isAvailable(cpu) ? 0 : queues[cpu].size(); left > 0; left--) {
            int task = queues[cpu].peekFirst();
            queues[cpu].remove(task);
            enqueue(task); // here again if it may use no other
        }
    }

    @Override
    protected int pick(int cpu) {
        return takeFirst(queues[cpu], cpu);
    }
}
