package dev.bascule.agent.memory;

/**
 * The host's end of what carries batches of pages to a memory agent and decisions back, in messages of 8-byte words.
 * <p>
 * Thread rule: that of the {@link MemoryHost}. Allocates nothing in use.
 */
public interface PageHostEnd {
    /** Question before a message changes hands: which of its batches still may. */
    interface Fresh {
        /**
         * Strikes what has ended from a message that is about to be handed over.
         *
         * @param words the message, changed in place
         * @param count its length
         * @return its new length; 0 if nothing is left
         */
        int keep(long[] words, int count);
    }

    /** Longest message, words: what {@link #peek} needs room for. */
    int maxWords();

    /**
     * Sets the one to ask before a message changes hands; where a message is a copy, nobody is asked. Before the first
     * message.
     */
    void askBefore(Fresh fresh);

    /** Takes a message of {@code count} words for the agent; false: no room now. */
    boolean send(long[] words, int count);

    /** Lets what was sent go. */
    void commit();

    /** Writes once more what the link may have lost. */
    void heal();

    /**
     * Looks for a message of the agent that is whole, and copies it; it is not the host's before {@link #take}.
     *
     * @return its length in words; 0: none now
     */
    int peek(long[] into);

    /** Takes the message that {@link #peek} found last. False: it stayed the agent's, and nothing was decided. */
    boolean take();
}
