package dev.bascule.agent;

/**
 * A policy whose successor may know what it has learned: estimates, shares, counts. When an agent is upgraded, {@link
 * #snapshot} is taken from the one that decides and given to {@link #restore} of the new one, before that takes over.
 * Tasks and CPUs need not be in it: the new agent is {@link Agent#reset} when it takes over and gets TASK_NEW for every
 * live task, as after any start.
 * <p>
 * The form of the bytes is the policy's. It should begin with a version: the two policies may be of different ages.
 * <p>
 * Thread rule: as {@link Agent}.
 */
public interface Upgradable extends Agent {
    /**
     * A copy of what is worth keeping; called between two rounds, which it delays. The agent goes on deciding with its own
     * state afterwards. If it throws, the upgrade has failed and this agent goes on.
     */
    byte[] snapshot();

    /**
     * Takes over what another agent has learned; called once, before the first {@link Agent#reset}. If it throws, the
     * upgrade has failed and the other agent stays.
     */
    void restore(byte[] state);
}
