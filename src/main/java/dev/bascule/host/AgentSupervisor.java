package dev.bascule.host;

import org.jspecify.annotations.Nullable;

/**
 * Starts, watches and kills the agent that serves an enclave. The host calls it off its hot path.
 * <p>
 * Thread rule: {@link #hasExited} from any thread, the rest from one thread.
 */
public interface AgentSupervisor extends AutoCloseable {
    /** How long an agent may take from its start until it is ready, unless the supervisor says otherwise. */
    long START_LIMIT_NANOS = 30_000_000_000L;

    /** Starts an agent, which attaches to the region's current epoch by itself. */
    void start();

    /** Whether the agent's process or thread has ended without having been asked to. */
    boolean hasExited();

    /** Kills the agent, at once and without asking; harmless if it is gone. */
    void kill();

    /**
     * Where a living agent that did not come back in time is, for the report, asked before {@link #kill}; null if it
     * is gone or not known. May take a second.
     */
    default @Nullable AgentPlace whereabouts() {
        return null;
    }

    /** How the last agent's policy ended it, in words; null if it was not the policy that did. */
    default @Nullable String policyFailure() {
        return null;
    }

    /**
     * How long an agent may take from its start until it is ready, ns, or three of its host's hard limits if that is more.
     * Past that it is fenced and replaced.
     */
    default long startLimitNanos() {
        return START_LIMIT_NANOS;
    }

    /**
     * Why the successor that was started beside the agent at work came to nothing, once and in words for the operator;
     * null if it did not, or there is none.
     */
    default @Nullable String successorFailure() {
        return null;
    }

    /** Whether a successor has been started that has neither taken over nor failed. */
    default boolean isUpgrading() {
        return false;
    }

    /** The successor has taken over: it is the agent from now on, and the one before ends by itself. */
    default void succeeded() {}

    /** The successor was fenced before it was at work: it is ended, and the agent before it goes on. */
    default void recall() {}

    /** How the last agent ended, for the report; empty while it lives. */
    String exitReport();

    /** Ends the agent and frees what it used. */
    @Override
    void close();
}
