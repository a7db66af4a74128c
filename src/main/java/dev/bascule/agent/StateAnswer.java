package dev.bascule.agent;

/**
 * Answers of an agent at work to a successor that asks for its state; the order is that of {@link AgentControl}'s word.
 */
public enum StateAnswer {
    /** Nothing yet. */
    OPEN,
    /** The policy keeps none. */
    NONE,
    /** It lies where both know. */
    GIVEN,
    /** The policy threw. */
    FAILED;

    private static final StateAnswer[] VALUES = values();

    /** The answer that a word stands for; {@link #OPEN} for a word that no agent writes. */
    static StateAnswer of(int code) {
        return code < VALUES.length ? VALUES[code] : OPEN;
    }
}
