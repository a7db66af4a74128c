package dev.bascule.junit;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.DecisionLedger;
import dev.bascule.agent.ForwardingAgentEnd;
import dev.bascule.agent.OutcomeSink;

/**
 * An agent's end that keeps the agent's ledger and can crash: after a given number of calls it throws, as if the
 * process had died between two instructions of the protocol.
 */
final class LedgerEnd extends ForwardingAgentEnd {
    /** The agent died. */
    static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Crash() {
            super("crash", null, false, false);
        }
    }

    private final DecisionLedger ledger;
    private long callsLeft = Long.MAX_VALUE;

    LedgerEnd(AgentEnd end, DecisionLedger ledger) {
        super(end);
        this.ledger = ledger;
    }

    void crashAfter(long calls) {
        callsLeft = calls;
    }

    @Override
    protected AgentEnd step() {
        if (callsLeft-- <= 0) {
            callsLeft = 0;
            throw new Crash();
        }
        return end;
    }

    @Override
    public int outcomes(OutcomeSink sink) {
        return super.outcomes((cpu, number, identity, outcome) -> {
            ledger.log(cpu, number, identity, outcome, 0);
            sink.settled(cpu, number, identity, outcome);
        });
    }

    /** Passes all: the ledger is to have every outcome as soon as it is there. */
    @Override
    public int outcomes(int firstCpu, int count, OutcomeSink sink) {
        return outcomes(sink);
    }
}
