package dev.bascule.agent;

import dev.bascule.ring.Clock;
import dev.bascule.ring.IdleStrategy;
import java.util.function.BooleanSupplier;

/**
 * Runs one agent on one thread until it is stopped or fenced: attach, rebuild from status words, say ready, work.
 * <p>
 * Thread rule: {@link #run} and {@link #turn} on one thread.
 */
public final class AgentLoop {
    /** Why a loop ended. */
    public enum Exit {
        /** The caller asked for it. */
        STOPPED,
        /** The host fenced this epoch or closed the enclave. */
        FENCED
    }

    private Agent agent;
    private final AgentEnd end;
    private final Enclave enclave;
    private static final long TICK_NANOS = 1_000_000;
    /** Idle rounds between two readings of the clock, which cost as much as such a round. */
    private static final int IDLE_TURNS_PER_LOOK = 16;

    private boolean ready;
    private long lastTickNanos;
    private int idleTurns;

    /** A loop over an attached end, on the given clock. */
    public AgentLoop(Agent agent, AgentEnd end, Clock clock) {
        this.agent = agent;
        this.end = end;
        enclave = new Enclave(end, clock);
    }

    /** One round; returns the work found. */
    public int turn() {
        if (enclave.beginRound()) {
            agent.reset(enclave);
        }
        int work = agent.doWork(enclave);
        end.heartbeat();
        boolean look = work > 0 || (++idleTurns & IDLE_TURNS_PER_LOOK - 1) == 0;
        if (look && enclave.now() - lastTickNanos > TICK_NANOS) {
            lastTickNanos = enclave.now();
            end.tick();
        }
        if (!ready) {
            ready = true;
            end.ready();
        }
        return work;
    }

    /**
     * Skips a round that would change nothing: nothing has reached the agent since its last round began, and policy and
     * enclave are idle. For hosts in virtual time, which know what is in flight.
     *
     * @return false if the round must run
     */
    public boolean skip() {
        if (!ready || !(agent instanceof QueueAgent queues) || !queues.isAtRest() || !enclave.isAtRest()
                || (idleTurns + 1 & IDLE_TURNS_PER_LOOK - 1) == 0) {
            return false;
        }
        idleTurns++;
        queues.skipRound();
        return true;
    }

    /**
     * Works until {@code stop} or the host's fence. A policy that throws ends the loop: nothing it had staged is lost,
     * for the host falls back to its own policy and a new agent rebuilds from the status words.
     *
     * @throws PolicyException if the policy throws, an error included
     */
    public Exit run(IdleStrategy idle, BooleanSupplier stop) {
        try {
            while (!stop.getAsBoolean()) {
                if (end.isFenced()) {
                    return Exit.FENCED;
                }
                idle.idle(turn());
            }
            return Exit.STOPPED;
        } catch (RuntimeException | Error e) {
            if (!PolicyException.isPolicys(e)) {
                throw e;
            }
            agent = new Ended(agent.name());
            throw failure(e);
        }
    }

    /** What the policy threw in a {@link #turn}, with the policy's name and line. */
    public PolicyException failure(Throwable thrown) {
        return PolicyException.of(agent, thrown);
    }

    /** In the place of a policy that failed, whose memory may be what is short. */
    private record Ended(String name) implements Agent {
        @Override
        public void reset(Enclave enclave) {
            // the loop has ended
        }

        @Override
        public int doWork(Enclave enclave) {
            return 0;
        }
    }

    /** What the policy sees. */
    public Enclave enclave() {
        return enclave;
    }
}
