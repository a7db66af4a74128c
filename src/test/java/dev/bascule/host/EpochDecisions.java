package dev.bascule.host;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.DecisionLedger;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts the decisions that the host has put in force, by the epoch of the agent that made them: each agent has one of
 * its own. What an agent says plays no part. Any thread.
 */
final class EpochDecisions implements DecisionListener {
    private final DecisionLedger ledger = new DecisionLedger();
    private final AtomicLongArray inForce = new AtomicLongArray(1 << 16);
    private volatile int newest = -1;
    private volatile long lastNanos;

    @Override
    public synchronized void settled(Transaction decision, Outcome outcome, long enforcedNanos) {
        ledger.settled(decision, outcome, enforcedNanos);
        if (outcome == Outcome.COMPLETE) {
            inForce.incrementAndGet(decision.epoch());
            newest = decision.epoch();
            lastNanos = System.nanoTime();
        }
    }

    /** The epoch of the last decision in force; -1 before the first. */
    int newest() {
        return newest;
    }

    /** Decisions in force of an epoch's agent. */
    long of(int epoch) {
        return epoch < 0 ? 0 : inForce.get(epoch);
    }

    /** When the last decision was put in force. */
    long lastNanos() {
        return lastNanos;
    }

    /** All decisions; to be read after the host has closed. */
    DecisionLedger ledger() {
        return ledger;
    }
}
