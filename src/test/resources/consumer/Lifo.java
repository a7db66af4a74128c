package org.example.consumer;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.QueueAgent;
import dev.bascule.host.AgentHarness;

/** A policy of a user's own, driven by hand. */
public final class Lifo extends QueueAgent {
    private int[] stack = {};
    private int size;

    @Override
    protected void clear(EnclaveShape shape) {
        stack = new int[shape.tasks()];
        size = 0;
    }

    @Override
    protected void enqueue(int task) {
        stack[size++] = task;
    }

    @Override
    protected void remove(int task) {
        int at = size - 1;
        while (stack[at] != task) {
            at--;
        }
        System.arraycopy(stack, at + 1, stack, at, --size - at);
    }

    @Override
    protected int pick(int cpu) {
        for (int at = size - 1; at >= 0; at--) {
            int task = stack[at];
            if (mayUse(task, cpu)) {
                remove(task);
                return task;
            }
        }
        return NONE;
    }

    public static void main(String[] args) {
        AgentHarness h = AgentHarness.of(new Lifo(), 1, 8);
        h.newTask();
        int last = h.newTask();
        h.step();
        System.out.println(h.running(0) == last ? "last in, first out" : "cpu 0 runs " + h.running(0));
    }
}
