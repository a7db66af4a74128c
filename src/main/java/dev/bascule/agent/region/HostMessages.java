package dev.bascule.agent.region;

/** The host's end of all agents' channels. Thread rule: one thread, which is not any CPU's. */
public interface HostMessages {
    /** An empty channel of an agent's new epoch, on a cleared bank. */
    void open(int agent, int epoch);

    /** Writes a message of six words for an agent; visible after {@link #commit}. False if the channel is full. */
    boolean post(int agent, long[] words);

    /** Makes the messages posted since the last call visible. */
    void commit();

    /** Writes again what the link may have lost. */
    default void repeat() {}
}
