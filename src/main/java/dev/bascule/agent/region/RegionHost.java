package dev.bascule.agent.region;

import dev.bascule.agent.AgentControl;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.HostControl;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of a shared region: one control word that steers the agents, their states and heartbeats, the status
 * words, and what one transport adds. A fence opens the next epoch in the other bank of the region, so that nothing of
 * an older epoch is read any more.
 * <p>
 * Thread rule: that of {@link MechanismEnd}.
 */
public final class RegionHost implements MechanismEnd {
    private final RegionLinks links;
    private final RegionLayout layout;
    private final EnclaveShape shape;
    private final boolean mayLose;
    private final HostControl control;
    private final HostThread own;
    private final HostMessages messages;
    private final HostThread[] threads;
    private final CpuPort[] cpus;
    private final AgentControl[] agents;
    private final boolean[] isAbsent;
    private int epoch;
    private int generation;

    /**
     * Lays the region out and opens its next epoch: the first on zeroed memory, one more than the last on the memory of
     * a former host with the same shape and options. What was found there is in {@link #repairs}.
     *
     * @throws dev.bascule.agent.AgentException if a memory is too small
     * @throws dev.bascule.agent.EpochsUsedException if a former host used too many epochs up
     */
    public RegionHost(RegionLinks links, RegionHeader header, RegionLayout layout, HostTransport transport) {
        links.require(layout);
        this.links = links;
        this.layout = layout;
        shape = layout.shape();
        mayLose = transport.mayLose();
        control = new HostControl(links.toNic(), RegionLayout.HOST_CONTROL);
        own = HostThread.first(links, layout);
        messages = transport.messages(own);
        threads = new HostThread[shape.cpus()];
        Arrays.setAll(threads, cpu -> own.another(layout));
        cpus = new CpuPort[shape.cpus()];
        agents = new AgentControl[shape.agents()];
        isAbsent = new boolean[shape.agents()];
        epoch = transport.lastEpoch(links) + 1;
        control.requireStart(epoch);
        clear();
        Arrays.setAll(cpus, cpu -> transport.port(cpu, epoch, threads[cpu]));
        admitAgents();
        header.write(links.toNic(), RegionLayout.HEADER);
    }

    /** What a former host left in other than good order, and how it was mended; empty if nothing. */
    public List<String> repairs() {
        return Stream.of(cpus).map(CpuPort::repair).filter(Objects::nonNull).toList();
    }

    @Override
    public EnclaveShape shape() {
        return shape;
    }

    @Override
    public int epoch() {
        return epoch;
    }

    @Override
    public int openEpoch() {
        control.require(epoch + 1);
        epoch++;
        clear();
        for (CpuPort cpu : cpus) {
            cpu.open(epoch);
        }
        admitAgents();
        return epoch;
    }

    private void clear() {
        RegionLayout.clear(links.toNic(), layout.nicBank(epoch), layout.nicBankBytes());
        RegionLayout.clear(links.hostMemory(), layout.hostBank(epoch), layout.hostBankBytes());
    }

    /** Agents may attach to the epoch from now on. */
    private void admitAgents() {
        messages.open(epoch);
        for (int agent = 0; agent < agents.length; agent++) {
            agents[agent] = new AgentControl(links.fromNic(), layout.agentControl(epoch, agent), epoch);
        }
        generation++;
        control.write(epoch, false, generation);
    }

    @Override
    public void requestResync() {
        generation++;
        own.counters().resyncs++;
        control.write(epoch, false, generation);
    }

    @Override
    public void tick() {
        if (mayLose) {
            messages.repeat();
            for (CpuPort cpu : cpus) {
                cpu.repeat();
            }
            control.write(epoch, false, generation);
        }
    }

    @Override
    public boolean post(int agent, Message message) {
        boolean fits = messages.post(agent, message.words());
        if (!fits) {
            own.counters().overflows++;
        }
        return fits;
    }

    @Override
    public void commit() {
        messages.commit();
    }

    @Override
    public void commit(int cpu) {
        cpus[cpu].flush();
        threads[cpu].outgoing().commit();
    }

    @Override
    public void want(int cpu) {
        cpus[cpu].want();
    }

    @Override
    public boolean poll(int cpu, Transaction into) {
        return cpus[cpu].poll(into);
    }

    @Override
    public void settle(Transaction decision, Outcome outcome) {
        cpus[decision.slotCpu()].settle(decision, outcome);
    }

    @Override
    public void abandon(int cpu) {
        cpus[cpu].abandon();
    }

    @Override
    public boolean isKicked(int cpu) {
        return cpus[cpu].isKicked();
    }

    @Override
    public boolean sleep(int cpu, long timeoutNanos) {
        return links.waiter(cpu).await(timeoutNanos);
    }

    @Override
    public boolean enterSleep(int cpu) {
        cpus[cpu].setSleeping(true);
        return cpus[cpu].hasDecision();
    }

    @Override
    public void leaveSleep(int cpu) {
        cpus[cpu].setSleeping(false);
    }

    @Override
    public @Nullable String trouble() {
        for (CpuPort cpu : cpus) {
            if (cpu.trouble() != null) {
                return cpu.trouble();
            }
        }
        return null;
    }

    @Override
    public boolean isReady(int agent) {
        boolean ready = agents[agent].isReady();
        if (ready == isAbsent[agent]) {
            isAbsent[agent] = !ready;
            for (int cpu = 0; cpu < cpus.length; cpu++) {
                if (shape.agentOf(cpu) == agent) {
                    cpus[cpu].agentReady(ready);
                }
            }
        }
        return ready;
    }

    @Override
    public boolean hasLeft(int agent) {
        return agents[agent].hasLeft();
    }

    @Override
    public boolean hasSuccessor(int agent) {
        return agents[agent].mayBeSucceeded();
    }

    @Override
    public boolean isPredecessorWaiting(int agent) {
        return epoch > 1 && new AgentControl(links.fromNic(), layout.agentControl(epoch - 1, agent), epoch - 1)
                .isWaiting();
    }

    @Override
    public long heartbeat(int agent) {
        return agents[agent].heartbeat();
    }

    @Override
    public StatusTable status() {
        return own.status();
    }

    @Override
    public StatusTable status(int cpu) {
        return threads[cpu].status();
    }

    @Override
    public TransportCounters counters() {
        TransportCounters all = own.counters();
        for (HostThread thread : threads) {
            if (thread.isApart()) {
                all = all == own.counters() ? all.copy() : all;
                all.add(thread.counters());
            }
        }
        return all;
    }

    @Override
    public void close() {
        control.write(epoch, true, generation);
    }
}
