package dev.bascule.models;

import org.jspecify.annotations.Nullable;

/**
 * What an {@link Explorer} explores: a transition system whose states are byte strings, equal states having equal
 * bytes. One thread.
 */
public interface Model {
    /** Takes the initial states. */
    void initial(Sink sink);

    /** Takes every successor of a state, each with a number that {@link #label} can name. */
    void successors(byte[] state, Sink sink);

    /** The name of an invariant that the state violates, or null. */
    @Nullable
    String violated(byte[] state);

    /** What happened, for a trace. */
    String label(int label);

    /** The state in words, for a trace. */
    String show(byte[] state);

    /** Receives states. */
    @FunctionalInterface
    interface Sink {
        void next(int label, byte[] state);
    }
}
