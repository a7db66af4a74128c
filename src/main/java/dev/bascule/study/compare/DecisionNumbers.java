package dev.bascule.study.compare;

import dev.bascule.agent.Transaction;

/**
 * Finds decisions that an agent made and the host never took. Over every transport an agent numbers the decisions of a
 * CPU from 1 in its epoch, so a number left out is one that was withdrawn, or promised for an offer that was reversed.
 */
final class DecisionNumbers {
    private final int[] last;
    private final int[] epoch;

    DecisionNumbers(int cpus) {
        last = new int[cpus];
        epoch = new int[cpus];
    }

    /** How many the agent made between this decision, which the host has taken, and the one taken before. */
    int skippedBefore(Transaction decision) {
        int cpu = decision.slotCpu();
        if (decision.epoch() != epoch[cpu]) {
            epoch[cpu] = decision.epoch();
            last[cpu] = 0;
        }
        int skipped = decision.number() - last[cpu] - 1;
        last[cpu] = decision.number();
        return Math.max(0, skipped);
    }
}
