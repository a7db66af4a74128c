package dev.bascule.agent.region;

/** An agent's end of its channel. Thread rule: the agent's thread. */
public interface AgentMessages {
    /** Copies the next message's six words, without taking it; false if there is none. */
    boolean peek(long[] into);

    /** Bits that came with the message peeked at, of {@link HostMessages#post(int, long[], int)}; 0 if there are none. */
    default int told() {
        return 0;
    }

    /** Takes the message peeked at. */
    void consume();

    /** Messages taken or given up so far. */
    int taken();

    /** Messages given up so far: for each the agent reads the status words again. */
    default int skipped() {
        return 0;
    }

    /** Writes the credit again, which the link may have lost. */
    default void repeat() {}
}
