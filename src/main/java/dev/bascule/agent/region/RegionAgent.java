package dev.bascule.agent.region;

import dev.bascule.agent.AgentControl;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.CpuList;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.StateAnswer;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.SuccessorState;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import org.jspecify.annotations.Nullable;

/**
 * An agent's end of a shared region: its place in one epoch, its state and heartbeat, the status words, and what one
 * transport adds. It never outlives its epoch: once fenced, all it can still write lies where nobody reads.
 */
public final class RegionAgent implements AgentEnd {
    /** Ticks are a millisecond apart, or more. */
    private static final int MOST_TICKS_IN_COMPANY = 15_000;

    private final AgentRegion region;
    private final AgentTransport transport;
    private final AgentControl self;
    private final StatusTable status;
    private final AgentMessages messages;
    private final @Nullable AgentPort[] ports;
    private final CpuList staged;
    private int about;
    private boolean looked;
    private boolean succeeded;
    private long beats;
    private int ticksInCompany;
    private long noticed;
    private long attached;

    /**
     * Takes the agent's place in the region's epoch.
     *
     * @throws dev.bascule.agent.AgentException if another agent holds it
     */
    public RegionAgent(AgentRegion region, AgentTransport transport) {
        this.region = region;
        this.transport = transport;
        EnclaveShape shape = region.shape();
        status = new StatusTable(region.hostMemory(), region.layout().status(), shape);
        messages = transport.messages();
        staged = new CpuList(shape.cpus());
        ports = new AgentPort[shape.cpus()];
        for (int cpu = 0; cpu < ports.length; cpu++) {
            if (region.has(cpu)) {
                ports[cpu] = transport.port(cpu);
            }
        }
        self = new AgentControl(region.nic(), region.layout().agentControl(region.epoch(), region.agent()),
                region.epoch());
        self.attach(region.nonce(), region.agent());
    }

    @Override
    public EnclaveShape shape() {
        return region.shape();
    }

    @Override
    public int agent() {
        return region.agent();
    }

    @Override
    public int epoch() {
        return region.epoch();
    }

    @Override
    public boolean isFenced() {
        return region.host().isOver(region.epoch()) || !self.isHeldBy(region.nonce());
    }

    @Override
    public boolean peek(Message into) {
        if (!messages.peek(into.words())) {
            return false;
        }
        about = into.cpu();
        return true;
    }

    @Override
    public void consume() {
        AgentPort port = port(about);
        if (port != null) {
            port.told(messages.told());
        }
        messages.consume();
    }

    @Override
    public int barrier() {
        return messages.taken();
    }

    @Override
    public int resyncGeneration() {
        return region.host().generation() + messages.skipped();
    }

    @Override
    public StatusTable status() {
        return status;
    }

    private @Nullable AgentPort port(int cpu) {
        return cpu >= 0 && cpu < ports.length ? ports[cpu] : null;
    }

    @Override
    public int room(int cpu) {
        AgentPort port = port(cpu);
        return port == null ? 0 : port.room();
    }

    @Override
    public boolean stage(int cpu, Transaction transaction) {
        AgentPort port = port(cpu);
        if (port == null || !port.stage(transaction)) {
            return false;
        }
        staged.add(cpu);
        return true;
    }

    @Override
    public void commit() {
        transport.fence();
        while (!staged.isEmpty()) {
            AgentPort port = ports[staged.take()];
            if (port != null) {
                port.commit();
            }
        }
        transport.committed();
    }

    @Override
    public boolean withdraw(int cpu) {
        AgentPort port = port(cpu);
        return port != null && port.withdraw();
    }

    @Override
    public int outcomes(OutcomeSink sink) {
        return outcomes(0, ports.length, sink);
    }

    @Override
    public int outcomes(int firstCpu, int cpus, OutcomeSink sink) {
        looked = true;
        int count = 0;
        for (int cpu = firstCpu; cpu < Math.min(firstCpu + cpus, ports.length); cpu++) {
            AgentPort port = ports[cpu];
            if (port != null) {
                count += port.outcomes(sink);
            }
        }
        return count;
    }

    @Override
    public void heartbeat() {
        self.beat(++beats);
        transport.round(looked);
        looked = false;
    }

    @Override
    public void tookOver(long noticedNanos, long attachedNanos) {
        noticed = noticedNanos;
        attached = attachedNanos;
    }

    @Override
    public void ready() {
        if (noticed != 0) {
            long at = region.layout().takeOver(region.epoch(), region.agent());
            region.nic().storeRelease(at, noticed);
            region.nic().storeRelease(at + 8, attached);
            region.nic().storeRelease(at + 16, System.nanoTime());
        }
        self.ready();
    }

    @Override
    public void leave() {
        if (!isFenced()) {
            self.leave();
        }
    }

    @Override
    public boolean isStateWanted() {
        return self.isAsked();
    }

    @Override
    public void answer(StateAnswer answer) {
        self.answer(answer);
    }

    @Override
    public SuccessorState successor() {
        if (!succeeded && self.hasSuccessor()) {
            succeeded = true; // kept: the epoch after the successor's clears that word
            self.waitForSuccessor();
        }
        int next = region.epoch() + 1;
        if (!succeeded) {
            return SuccessorState.NONE;
        }
        if (!region.host().isOver(next)) {
            AgentControl successor = new AgentControl(region.nic(),
                    region.layout().agentControl(next, region.agent()), next);
            return successor.isReady() ? SuccessorState.AT_WORK : SuccessorState.STARTING;
        }
        return region.host().isOver(next + 1) ? SuccessorState.NONE : SuccessorState.FAILED;
    }

    /** A successor that has not taken over for so long was killed: its place is given free. */
    private void watchSuccessor() {
        ticksInCompany = self.hasCompany() ? ticksInCompany + 1 : 0;
        if (ticksInCompany > MOST_TICKS_IN_COMPANY) {
            self.withdraw();
        }
    }

    @Override
    public void tick() {
        watchSuccessor();
        if (transport.mayLose()) {
            for (AgentPort port : ports) {
                if (port != null) {
                    port.repeat();
                }
            }
            transport.repeated();
            self.repeat();
            messages.repeat();
        }
    }

    @Override
    public TransportCounters counters() {
        return region.counters();
    }

    @Override
    public void close() {
        // the memory belongs to the caller
    }
}
