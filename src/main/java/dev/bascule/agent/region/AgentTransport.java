package dev.bascule.agent.region;

/**
 * An agent's end of one transport: what {@link RegionAgent} does not know. Counterpart of {@link HostTransport}. Thread
 * rule: the agent's thread.
 */
public interface AgentTransport {
    /** How messages arrive; asked for once. */
    AgentMessages messages();

    /** How decisions for one of this agent's CPUs travel; asked for once a CPU. */
    AgentPort port(int cpu);

    /** Called at every commit, before {@link AgentPort#commit} of the CPUs that decisions were staged for. */
    default void fence() {}

    /** Called at the end of every commit, after {@link AgentPort#commit} of those CPUs. */
    default void committed() {}

    /**
     * Called once a round of the agent's work.
     *
     * @param looked whether the policy asked for outcomes in this round
     */
    default void round(boolean looked) {}

    /** Counterpart of {@link HostTransport#mayLose}: whether ports and channel repeat what is not acknowledged. */
    default boolean mayLose() {
        return true;
    }

    /** Called when the ports have written what they repeat. */
    default void repeated() {}
}
