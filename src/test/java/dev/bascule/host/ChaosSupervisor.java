package dev.bascule.host;

/** Starts a scenario's agents and knows their faults. */
interface ChaosSupervisor extends AgentSupervisor {
    /** From now on agents are good. */
    void calm();

    /** Waits for every agent's end and lets go of what was opened for them. */
    void join() throws InterruptedException;
}
