package dev.bascule.agent.memory;

/**
 * The agent's end of what carries batches of pages from a host and decisions back, in messages of 8-byte words.
 * <p>
 * Thread rule: that of the {@link MemoryAgent}. Allocates nothing in use.
 */
public interface PageAgentEnd {
    /** Longest message, words: what {@link #receive} needs room for. */
    int maxWords();

    /** Takes the host's next message. Returns its length in words; 0: none now. */
    int receive(long[] into);

    /** Answers the message received last; false: no room now, commit and try again. */
    boolean send(long[] words, int count);

    /** Lets what was sent go. */
    void commit();

    /** Writes once more what the link may have lost. */
    void heal();
}
