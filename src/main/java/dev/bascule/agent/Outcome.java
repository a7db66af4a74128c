package dev.bascule.agent;

import org.jspecify.annotations.Nullable;

/** Outcome of a transaction: ghOSt's sixteen states (ghost_uapi.h, version 84), with our codes 0 to 15. */
public enum Outcome {
    /** The decision is in force. */
    COMPLETE,
    /** The agent took it back before it was used. */
    ABORTED,
    /** The task already runs on a CPU. */
    TARGET_ONCPU,
    /** The task changed after the agent's last message about it (task barrier). */
    TARGET_STALE,
    /** There is no such task. */
    TARGET_NOT_FOUND,
    /** The task is blocked. */
    TARGET_NOT_RUNNABLE,
    /** The agent had not seen its newest messages when it decided (agent barrier, if the decision asks for its check). */
    AGENT_STALE,
    /** The CPU is no longer part of the machine. */
    CPU_OFFLINE,
    /** The CPU is used by something outside the enclave. */
    CPU_UNAVAIL,
    /** The flags contradict each other or are unknown. */
    INVALID_FLAGS,
    /** The target is no task and no special target. */
    INVALID_TARGET,
    /** The task may not run there: affinity, or it left the enclave. */
    NOT_PERMITTED,
    /** There is no such CPU in the enclave. */
    INVALID_CPU,
    /** The decision's agent is not the agent of this epoch. */
    NO_AGENT,
    /** The transaction's ABI version is not spoken here. */
    UNSUPPORTED_VERSION,
    /** Another member of its group failed, or its group never became whole. */
    POISONED;

    private static final Outcome[] VALUES = values();

    /** The outcome with this code, or null if there is none. */
    public static @Nullable Outcome ofCode(int code) {
        return code >= 0 && code < VALUES.length ? VALUES[code] : null;
    }

    /** Whether the decision came too late: the world had moved on between observation and enforcement. */
    public boolean isStale() {
        return this == TARGET_STALE || this == AGENT_STALE || this == TARGET_NOT_RUNNABLE || this == TARGET_ONCPU
                || this == TARGET_NOT_FOUND;
    }
}
