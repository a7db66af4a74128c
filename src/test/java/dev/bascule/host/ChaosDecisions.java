package dev.bascule.host;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the decisions of agents that were put in force. */
final class ChaosDecisions implements DecisionListener {
    private final AtomicLong inForce = new AtomicLong();

    @Override
    public void settled(Transaction decision, Outcome outcome, long enforcedNanos) {
        if (outcome == Outcome.COMPLETE) {
            inForce.incrementAndGet();
        }
    }

    long inForce() {
        return inForce.get();
    }
}
