package dev.bascule.agent;

import dev.bascule.ring.Clock;
import dev.bascule.ring.IdleStrategy;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
        FENCED,
        /** Another agent has taken this one's place. */
        HANDED_OVER,
        /** Another agent was to take this one's place and failed; the host waits for this one in its next epoch. */
        RECALLED
    }

    private Agent agent;
    private final AgentEnd end;
    private final Enclave enclave;
    private static final long TICK_NANOS = 1_000_000;
    /** Idle rounds between two readings of the clock, which cost as much as such a round. */
    private static final int IDLE_TURNS_PER_LOOK = 16;

    private static final System.Logger LOG = System.getLogger(AgentLoop.class.getName());
    private static final long WAIT_NANOS = 200_000;

    private final @Nullable Consumer<byte[]> state;
    private boolean ready;
    private long lastTickNanos;
    private int idleTurns;
    private final RoundEvent event = new RoundEvent();

    /** A loop over an attached end, on the given clock. */
    public AgentLoop(Agent agent, AgentEnd end, Clock clock) {
        this(agent, end, clock, null);
    }

    /**
     * A loop for an agent that can be upgraded.
     *
     * @param state gets the policy's {@link Upgradable#snapshot} when a successor asks for it; null: it gets none
     */
    public AgentLoop(Agent agent, AgentEnd end, Clock clock, @Nullable Consumer<byte[]> state) {
        this.agent = agent;
        this.end = end;
        this.state = state;
        enclave = new Enclave(end, clock);
    }

    /** One round; returns the work found. */
    public int turn() {
        boolean recorded = event.isEnabled();
        if (recorded) {
            event.begin();
        }
        if (enclave.beginRound()) {
            agent.reset(enclave);
        }
        int work = agent.doWork(enclave);
        if (recorded && work > 0) {
            event.end();
            event.work = work;
            event.commit();
        }
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
     * Works until {@code stop}, of which the host is told, or the host's fence. A policy that throws ends the loop:
     * nothing it had staged is lost, for the host falls back to its own policy and a new agent rebuilds from the status
     * words.
     *
     * @throws PolicyException if the policy throws, an error included
     */
    public Exit run(IdleStrategy idle, BooleanSupplier stop) {
        try {
            while (!stop.getAsBoolean()) {
                if (end.isFenced()) {
                    return handOver(stop);
                }
                idle.idle(turn());
                if (end.isStateWanted()) {
                    giveState();
                }
            }
            end.leave();
            return Exit.STOPPED;
        } catch (RuntimeException | Error e) {
            if (!PolicyException.isPolicys(e)) {
                throw e;
            }
            agent = new Ended(agent.name());
            throw failure(e);
        }
    }

    /** The exception for what the policy threw in a {@link #turn}, with the policy's name and line. */
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

    private void giveState() {
        if (!(agent instanceof Upgradable policy) || state == null) {
            end.answer(StateAnswer.NONE);
            return;
        }
        try {
            state.accept(policy.snapshot());
            end.answer(StateAnswer.GIVEN);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "no snapshot for a successor, this agent goes on", e);
            end.answer(StateAnswer.FAILED);
        }
    }

    /** Ready to go on until the successor is at work. */
    private Exit handOver(BooleanSupplier stop) {
        while (!stop.getAsBoolean()) {
            switch (end.successor()) {
                case NONE -> {
                    return Exit.FENCED;
                }
                case AT_WORK -> {
                    return Exit.HANDED_OVER;
                }
                case FAILED -> {
                    return Exit.RECALLED;
                }
                case STARTING -> LockSupport.parkNanos(WAIT_NANOS);
            }
        }
        return Exit.STOPPED;
    }

    /** The policy; after it has failed, one in its place that does nothing. */
    public Agent agent() {
        return agent;
    }

    /** The enclave as the policy sees it. */
    public Enclave enclave() {
        return enclave;
    }
}
