package dev.bascule.swap;

import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.agent.region.AgentPort;
import dev.bascule.agent.region.CpuDoorbell;
import java.lang.invoke.VarHandle;

/** An agent's end of one CPU: its exchange, and the interrupt that goes with a promise. */
final class SwapAgentCpu implements AgentPort {
    private final AgentExchange exchange;
    private final CpuDoorbell doorbell;
    private final TransportCounters counters;
    private boolean urgent;

    SwapAgentCpu(AgentExchange exchange, CpuDoorbell doorbell, TransportCounters counters) {
        this.exchange = exchange;
        this.doorbell = doorbell;
        this.counters = counters;
    }

    @Override
    public int room() {
        return exchange.room();
    }

    @Override
    public boolean stage(Transaction decision) {
        if (!exchange.hasRoom() && exchange.room() == 0) {
            return false;
        }
        exchange.stage(decision);
        urgent |= (decision.commitFlags() & Transaction.AT_COMMIT) != 0;
        return true;
    }

    @Override
    public void commit() {
        exchange.commit();
        look();
    }

    /** One look at the cell; promises what was asked for, and wakes the CPU if it sleeps. */
    void look() {
        if (exchange.turn()) {
            ring();
        }
    }

    private void ring() {
        VarHandle.fullFence(); // partner: the full fence in CpuInterrupt.setSleeping; one of the two sees the other's store
        counters.fences++;
        boolean sleeping = doorbell.isSleeping();
        if (sleeping || urgent) {
            urgent = false;
            doorbell.interrupt();
        }
        if (sleeping) {
            doorbell.ring();
        }
    }

    @Override
    public boolean withdraw() {
        return exchange.withdraw();
    }

    @Override
    public int outcomes(OutcomeSink sink) {
        look();
        return exchange.outcomes(sink);
    }

    @Override
    public void repeat() {
        exchange.repeat();
    }
}
