package dev.bascule.swap;

import java.util.Arrays;

/**
 * Which agents the host found not ready when it last asked. To them nothing is offered: nobody would answer, and each
 * local decision would take the offer back again. What was wanted meanwhile is offered when the agent is there. A host
 * that never asks offers always. One thread. Allocation-free.
 */
final class Absence {
    private final boolean[] isAbsent;
    private final CpuList[] wanted;

    Absence(int agents, int cpus) {
        isAbsent = new boolean[agents];
        wanted = new CpuList[agents];
        Arrays.setAll(wanted, agent -> new CpuList(cpus));
    }

    boolean isAbsent(int agent) {
        return isAbsent[agent];
    }

    /** Whether the CPU's offer may be made now; if not, it is due when the agent comes. */
    boolean mayOffer(int agent, int cpu) {
        if (isAbsent[agent]) {
            wanted[agent].add(cpu);
        }
        return !isAbsent[agent];
    }

    /** What the host saw when it asked; makes the offers that are due. */
    boolean saw(int agent, boolean ready, HostPort[] ports) {
        boolean came = ready && isAbsent[agent];
        isAbsent[agent] = !ready;
        while (came && !wanted[agent].isEmpty()) {
            ports[wanted[agent].take()].want();
        }
        return ready;
    }
}
