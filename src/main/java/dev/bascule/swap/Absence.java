package dev.bascule.swap;

import dev.bascule.agent.EnclaveShape;

/**
 * Which agents the host found not ready when it last asked. To them nothing is offered: nobody would answer, and each
 * local decision would take the offer back again. What was wanted meanwhile is offered when the agent is there. A host
 * that never asks offers always. Allocation-free.
 * <p>
 * Thread rule: {@link #mayOffer} and {@link #isAbsent} by a CPU's thread, {@link #saw} while no CPU decides.
 */
final class Absence {
    private final boolean[] isAbsent;
    private final boolean[] wanted;
    private final EnclaveShape shape;

    Absence(EnclaveShape shape) {
        this.shape = shape;
        isAbsent = new boolean[shape.agents()];
        wanted = new boolean[shape.cpus()];
    }

    boolean isAbsent(int agent) {
        return isAbsent[agent];
    }

    /** Whether the CPU's offer may be made now; if not, it is due when the agent comes. */
    boolean mayOffer(int agent, int cpu) {
        if (isAbsent[agent]) {
            wanted[cpu] = true;
        }
        return !isAbsent[agent];
    }

    /** What the host saw when it asked; makes the offers that are due. */
    boolean saw(int agent, boolean ready, HostPort[] ports) {
        boolean came = ready && isAbsent[agent];
        isAbsent[agent] = !ready;
        for (int cpu = 0; came && cpu < ports.length; cpu++) {
            if (wanted[cpu] && shape.agentOf(cpu) == agent) {
                wanted[cpu] = false;
                ports[cpu].want();
            }
        }
        return ready;
    }
}
