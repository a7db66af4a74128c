package dev.bascule.agent.region;

/** The host's end of all agents' channels. Thread rule: one thread, which is not any CPU's. */
public interface HostMessages {
    /** An empty channel of an agent's new epoch, on a cleared bank. */
    void open(int agent, int epoch);

    /** Writes a message of six words for an agent; visible after {@link #commit}. False if the channel is full. */
    boolean post(int agent, long[] words);

    /**
     * A message with eight bits beside it; a channel without room for them leaves them out.
     *
     * @param told which of the CPU's decisions need no look for their outcomes
     */
    default boolean post(int agent, long[] words, int told) {
        return post(agent, words);
    }

    /** Makes the messages posted since the last call visible. */
    void commit();

    /** Writes again what the link may have lost. */
    default void repeat() {}
}
