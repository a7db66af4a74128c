package dev.bascule.host;

import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.TakeOver;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The host's part in the upgrade of an agent: as soon as it has a successor beside it, one fence voids what the old one
 * decided and opens the epoch of the new one. If that is not at work in time, another fence opens an epoch for the old
 * one, which has waited. Other agents are not concerned.
 * <p>
 * Thread rule: as {@link AgentKeeper#trouble}.
 */
final class Upgrades {
    private enum State {
        NONE, FENCE_TO_HAND_OVER, HANDING_OVER, FENCE_TO_RECALL, FENCE_TO_REPLACE
    }

    private final MechanismEnd end;
    private final int agent;
    private final AgentSupervisor supervisor;
    private final Consumer<Upgrade> ended;
    private State state = State.NONE;
    private @Nullable String failure;
    private long sinceNanos;
    /** Beginning of the state by the keeper's clock, which stands while it is away. */
    private long seenSinceNanos;
    private long openNanos;

    /** @param ended is told how each has ended */
    Upgrades(MechanismEnd end, int agent, AgentSupervisor supervisor, Consumer<Upgrade> ended) {
        this.end = end;
        this.agent = agent;
        this.supervisor = supervisor;
        this.ended = ended;
    }

    /** Whether a new agent is taking over just now. */
    boolean isHandingOver() {
        return state == State.HANDING_OVER;
    }

    /** Whether the next fence is an upgrade's, and no sign of a bad agent. */
    boolean isWanted() {
        return state == State.FENCE_TO_HAND_OVER || state == State.FENCE_TO_RECALL;
    }

    /**
     * Looks whether a new agent has failed; says so once, in words for the operator.
     *
     * @param seenNanos the time, less that in which nobody looked
     * @param limitNanos how long it may take from the fence until it is at work
     */
    @Nullable
    String failure(long now, long seenNanos, long limitNanos) {
        String why = failure == null ? supervisor.successorFailure() : failure;
        if (isHandingOver()) {
            boolean isLate = seenNanos - seenSinceNanos > limitNanos;
            if (why == null && isLate) {
                why = "not at work within " + limitNanos / 1_000_000 + " ms of the hand-over";
            }
            boolean mayRecall = end.isPredecessorWaiting(agent);
            failure = mayRecall || isLate ? null : why; // the old agent is about to see the fence
            if (why == null || failure != null) {
                return null;
            }
            state = mayRecall ? State.FENCE_TO_RECALL : State.FENCE_TO_REPLACE;
        }
        if (why == null) {
            return null;
        }
        if (state == State.NONE) {
            end.dropSuccessor(agent);
        }
        ended.accept(new Upgrade(agent, state == State.NONE ? 0 : now - sinceNanos, null, why));
        return "upgrade failed" + (state == State.FENCE_TO_REPLACE ? "" : ", the agent before it goes on") + ": " + why;
    }

    /** Why the host has to fence now, on an upgrade's behalf, to be said behind the agent's name; null if it has not. */
    @Nullable
    String fence(boolean isReady) {
        if (state == State.NONE && isReady && end.hasSuccessor(agent)) {
            state = State.FENCE_TO_HAND_OVER;
        }
        return switch (state) {
            case NONE, HANDING_OVER -> null;
            case FENCE_TO_HAND_OVER -> " hands over";
            case FENCE_TO_RECALL -> " goes on";
            case FENCE_TO_REPLACE -> ": the one before the upgrade is gone as well";
        };
    }

    /** The host has fenced the agent, at this time; returns whether it needs none in its place. */
    boolean fenced(long now, long seenNanos) {
        State before = state;
        state = before == State.FENCE_TO_HAND_OVER ? State.HANDING_OVER : State.NONE;
        if (before == State.NONE && supervisor.isUpgrading()) {
            supervisor.recall();
            ended.accept(new Upgrade(agent, 0, null, "the agent at work was fenced before it could hand over"));
        } else if (before == State.HANDING_OVER) {
            ended.accept(new Upgrade(agent, now - sinceNanos, null, "fenced before it was at work"));
        } else if (before == State.FENCE_TO_RECALL) {
            supervisor.recall();
        }
        sinceNanos = now;
        seenSinceNanos = seenNanos;
        openNanos = System.nanoTime();
        return before == State.FENCE_TO_HAND_OVER || before == State.FENCE_TO_RECALL;
    }

    /** The new agent is at work, as of this time. */
    void done(long now) {
        state = State.NONE;
        failure = null;
        supervisor.succeeded();
        ended.accept(new Upgrade(agent, now - sinceNanos, steps(now), null));
    }

    /** The new agent may have seen its epoch before the fence was quite over. */
    private Upgrade.@Nullable Steps steps(long now) {
        TakeOver times = end.takeOver(agent);
        if (times == null) {
            return null;
        }
        long open = Math.min(openNanos, times.noticedNanos());
        boolean isOneClock = sinceNanos <= open && times.noticedNanos() <= times.attachedNanos()
                && times.attachedNanos() <= times.readyNanos() && times.readyNanos() <= now;
        return isOneClock
                ? new Upgrade.Steps(open - sinceNanos, times.noticedNanos() - open,
                        times.attachedNanos() - times.noticedNanos(), times.readyNanos() - times.attachedNanos(),
                        now - times.readyNanos())
                : null;
    }
}
