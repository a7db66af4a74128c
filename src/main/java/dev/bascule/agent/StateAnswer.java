package dev.bascule.agent;

/** What an agent at work answers a successor that asks for its state; the order is that of {@link AgentControl}'s word. */
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

    /** What a word says; nothing for what no agent writes. */
    static StateAnswer of(int code) {
        return code < VALUES.length ? VALUES[code] : OPEN;
    }
}
