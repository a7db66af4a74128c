package dev.bascule.junit;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.DecisionLedger;
import dev.bascule.agent.Message;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;

/**
 * An agent's end that keeps the agent's ledger and can crash: after a given number of calls it throws, as if the
 * process had died between two instructions of the protocol.
 */
final class LedgerEnd implements AgentEnd {
    /** The agent died. */
    static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Crash() {
            super("crash", null, false, false);
        }
    }

    private final AgentEnd end;
    private final DecisionLedger ledger;
    private long callsLeft = Long.MAX_VALUE;

    LedgerEnd(AgentEnd end, DecisionLedger ledger) {
        this.end = end;
        this.ledger = ledger;
    }

    void crashAfter(long calls) {
        callsLeft = calls;
    }

    private AgentEnd step() {
        if (callsLeft-- <= 0) {
            callsLeft = 0;
            throw new Crash();
        }
        return end;
    }

    @Override
    public EnclaveShape shape() {
        return end.shape();
    }

    @Override
    public int agent() {
        return end.agent();
    }

    @Override
    public int epoch() {
        return end.epoch();
    }

    @Override
    public boolean isFenced() {
        return end.isFenced();
    }

    @Override
    public boolean peek(Message into) {
        return step().peek(into);
    }

    @Override
    public void consume() {
        step().consume();
    }

    @Override
    public int barrier() {
        return end.barrier();
    }

    @Override
    public int resyncGeneration() {
        return end.resyncGeneration();
    }

    @Override
    public StatusTable status() {
        return end.status();
    }

    @Override
    public int room(int cpu) {
        return step().room(cpu);
    }

    @Override
    public boolean stage(int cpu, Transaction transaction) {
        return step().stage(cpu, transaction);
    }

    @Override
    public void commit() {
        step().commit();
    }

    @Override
    public boolean withdraw(int cpu) {
        return step().withdraw(cpu);
    }

    @Override
    public int outcomes(OutcomeSink sink) {
        return step().outcomes((cpu, number, identity, outcome) -> {
            ledger.log(cpu, number, identity, outcome, 0);
            sink.settled(cpu, number, identity, outcome);
        });
    }

    @Override
    public void heartbeat() {
        step().heartbeat();
    }

    @Override
    public void tick() {
        step().tick();
    }

    @Override
    public void leave() {
        step().leave();
    }

    @Override
    public void ready() {
        step().ready();
    }

    @Override
    public TransportCounters counters() {
        return end.counters();
    }

    @Override
    public void close() {
        end.close();
    }
}
