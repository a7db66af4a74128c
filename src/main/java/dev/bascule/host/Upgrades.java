package dev.bascule.host;

import dev.bascule.agent.MechanismEnd;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The host's part in the upgrade of its agents: as soon as every agent has a successor beside it, one fence voids what
 * the old ones decided and opens the epoch of the new ones. If these are not at work in time, another fence opens an
 * epoch for the old ones, which have waited.
 * <p>
 * Thread rule: as {@link AgentKeeper#trouble}; {@link #ended} by any thread.
 */
final class Upgrades {
    private enum State {
        NONE, FENCE_TO_HAND_OVER, HANDING_OVER, FENCE_TO_RECALL, FENCE_TO_REPLACE
    }

    private final MechanismEnd end;
    private final AgentSupervisor supervisor;
    private final List<Upgrade> ended = new ArrayList<>();
    private State state = State.NONE;
    private @Nullable String failure;
    private long sinceNanos;

    Upgrades(MechanismEnd end, AgentSupervisor supervisor) {
        this.end = end;
        this.supervisor = supervisor;
    }

    /** Whether new agents are taking over just now. */
    boolean isHandingOver() {
        return state == State.HANDING_OVER;
    }

    /** Whether the next fence is an upgrade's, and no sign of a bad agent. */
    boolean isWanted() {
        return state == State.FENCE_TO_HAND_OVER || state == State.FENCE_TO_RECALL;
    }

    /**
     * Looks whether new agents have failed; says so once, in words for the operator.
     *
     * @param limitNanos how long they may take from the fence until they are at work
     */
    @Nullable
    String failure(long now, long limitNanos) {
        String why = failure == null ? supervisor.successorFailure() : failure;
        if (isHandingOver()) {
            boolean isLate = now - sinceNanos > limitNanos;
            if (why == null && isLate) {
                why = "not at work within " + limitNanos / 1_000_000 + " ms of the hand-over";
            }
            boolean mayRecall = areAllWaiting();
            failure = mayRecall || isLate ? null : why; // the old agents are about to see the fence
            if (why == null || failure != null) {
                return null;
            }
            state = mayRecall ? State.FENCE_TO_RECALL : State.FENCE_TO_REPLACE;
        }
        if (why == null) {
            return null;
        }
        end(new Upgrade(state == State.NONE ? 0 : now - sinceNanos, why));
        return "upgrade failed" + (state == State.FENCE_TO_REPLACE ? "" : ", the agent before it goes on") + ": " + why;
    }

    /** Why the host has to fence now, on an upgrade's behalf; null if it has not. */
    @Nullable
    String fence(boolean isReady) {
        if (state == State.NONE && isReady && haveAllSuccessors()) {
            state = State.FENCE_TO_HAND_OVER;
        }
        return switch (state) {
            case NONE, HANDING_OVER -> null;
            case FENCE_TO_HAND_OVER -> "agent hands over";
            case FENCE_TO_RECALL -> "agent goes on";
            case FENCE_TO_REPLACE -> "the agent before the upgrade is gone as well";
        };
    }

    private boolean areAllWaiting() {
        for (int agent = 0; agent < end.shape().agents(); agent++) {
            if (!end.isPredecessorWaiting(agent)) {
                return false;
            }
        }
        return true;
    }

    private boolean haveAllSuccessors() {
        for (int agent = 0; agent < end.shape().agents(); agent++) {
            if (!end.hasSuccessor(agent)) {
                return false;
            }
        }
        return true;
    }

    /** The host has fenced, at this time; returns whether it needs no agent in place of those it had. */
    boolean fenced(long now) {
        State before = state;
        state = before == State.FENCE_TO_HAND_OVER ? State.HANDING_OVER : State.NONE;
        if (before == State.HANDING_OVER) {
            end(new Upgrade(now - sinceNanos, "fenced before it was at work"));
        } else if (before == State.FENCE_TO_RECALL) {
            supervisor.recall();
        }
        sinceNanos = now;
        return before == State.FENCE_TO_HAND_OVER || before == State.FENCE_TO_RECALL;
    }

    /** The new agents are at work, as of this time. */
    void done(long now) {
        state = State.NONE;
        failure = null;
        supervisor.succeeded();
        end(new Upgrade(now - sinceNanos, null));
    }

    private synchronized void end(Upgrade upgrade) {
        ended.add(upgrade);
    }

    /** Those that have ended, oldest first. */
    synchronized List<Upgrade> ended() {
        return List.copyOf(ended);
    }
}
