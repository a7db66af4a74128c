package dev.bascule.agent.region;

import dev.bascule.agent.AgentControl;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.HostControl;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.TakeOver;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of a shared region: for each agent a control word that steers it, its state and heartbeat; the status
 * words, and what one transport adds. A fence opens an agent's next epoch in the other bank of its part of the region, so
 * that nothing of an older epoch is read any more, and touches no other agent.
 * <p>
 * Thread rule: that of {@link MechanismEnd}.
 */
public final class RegionHost implements MechanismEnd {
    private final RegionLinks links;
    private final RegionLayout layout;
    private final EnclaveShape shape;
    private final boolean mayLose;
    private final HostControl[] controls;
    private final HostThread own;
    private final HostMessages messages;
    private final HostThread[] threads;
    private final CpuPort[] cpus;
    private final ToldOutcomes[] told;
    private final AgentControl[] agents;
    private final boolean[] isAbsent;
    private final int[][] cpusOf;
    private final int[] epochs;
    private final int[] generations;

    /**
     * Lays the region out and opens each agent's next epoch: the first on zeroed memory, one more than the last on the
     * memory of a former host with the same shape and options. What was found there is in {@link #repairs}.
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
        controls = new HostControl[shape.agents()];
        Arrays.setAll(controls, agent -> new HostControl(links.toNic(), RegionLayout.hostControl(agent)));
        cpusOf = new int[shape.agents()][];
        Arrays.setAll(cpusOf, shape::cpusOf);
        own = HostThread.first(links, layout);
        messages = transport.messages(own);
        threads = new HostThread[shape.cpus()];
        Arrays.setAll(threads, cpu -> own.another(layout));
        cpus = new CpuPort[shape.cpus()];
        told = new ToldOutcomes[shape.cpus()];
        Arrays.setAll(told, cpu -> new ToldOutcomes(shape.staged()));
        agents = new AgentControl[shape.agents()];
        isAbsent = new boolean[shape.agents()];
        epochs = new int[shape.agents()];
        generations = new int[shape.agents()];
        Arrays.setAll(epochs, agent -> transport.lastEpoch(links, agent) + 1);
        for (int agent = 0; agent < agents.length; agent++) {
            controls[agent].requireStart(epochs[agent]);
            clear(agent);
        }
        Arrays.setAll(cpus, cpu -> transport.port(cpu, epochs[shape.agentOf(cpu)], threads[cpu]));
        for (int agent = 0; agent < agents.length; agent++) {
            admit(agent);
        }
        header.write(links.toNic(), RegionLayout.HEADER);
    }

    /** Repairs, a sentence each: what a former host left in bad order, and how it was mended; empty if nothing. */
    public List<String> repairs() {
        return Stream.of(cpus).map(CpuPort::repair).filter(Objects::nonNull).toList();
    }

    @Override
    public EnclaveShape shape() {
        return shape;
    }

    @Override
    public int epoch(int agent) {
        return epochs[agent];
    }

    @Override
    public int openEpoch(int agent) {
        controls[agent].require(epochs[agent] + 1);
        int epoch = ++epochs[agent];
        clear(agent);
        for (int cpu : cpusOf[agent]) {
            cpus[cpu].open(epoch);
            told[cpu].open();
        }
        admit(agent);
        return epoch;
    }

    private void clear(int agent) {
        int epoch = epochs[agent];
        RegionLayout.clear(links.toNic(), layout.nicBank(epoch, agent), layout.nicBankBytes());
        RegionLayout.clear(links.hostMemory(), layout.hostBank(epoch, agent), layout.hostBankBytes());
    }

    /** An agent may attach to the epoch from now on. */
    private void admit(int agent) {
        int epoch = epochs[agent];
        messages.open(agent, epoch);
        agents[agent] = new AgentControl(links.fromNic(), layout.agentControl(epoch, agent), epoch);
        generations[agent]++;
        steer(agent, false);
    }

    private void steer(int agent, boolean stop) {
        controls[agent].write(epochs[agent], stop, generations[agent]);
    }

    @Override
    public void requestResync(int agent) {
        generations[agent]++;
        own.counters().resyncs++;
        steer(agent, false);
    }

    @Override
    public void tick() {
        if (mayLose) {
            messages.repeat();
            for (CpuPort cpu : cpus) {
                cpu.repeat();
            }
            for (int agent = 0; agent < agents.length; agent++) {
                steer(agent, false);
            }
        }
    }

    @Override
    public boolean post(int agent, Message message) {
        int cpu = message.cpu();
        boolean fits = messages.post(agent, message.words(), cpu < told.length ? told[cpu].mark() : 0);
        if (!fits) {
            own.counters().overflows++;
        }
        return fits;
    }

    @Override
    public void commit() {
        messages.commit();
        links.hostMemory().writeFence(); // status words; on a mirror they leave by a fence, too
    }

    @Override
    public void commit(int cpu) {
        cpus[cpu].flush();
        threads[cpu].outgoing().commit();
        threads[cpu].links().hostMemory().writeFence(); // as above
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
        int cpu = decision.slotCpu();
        cpus[cpu].settle(decision, outcome);
        told[cpu].settled(decision.number(), outcome == Outcome.COMPLETE);
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
    public @Nullable String trouble(int agent) {
        for (int cpu : cpusOf[agent]) {
            String trouble = cpus[cpu].trouble();
            if (trouble != null) {
                return trouble;
            }
        }
        return null;
    }

    @Override
    public boolean isReady(int agent) {
        boolean ready = agents[agent].isReady();
        if (ready == isAbsent[agent]) {
            isAbsent[agent] = !ready;
            for (int cpu : cpusOf[agent]) {
                cpus[cpu].agentReady(ready);
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
    public void dropSuccessor(int agent) {
        new AgentControl(links.toNic(), layout.agentControl(epochs[agent], agent), epochs[agent]).withdraw();
    }

    @Override
    public boolean isPredecessorWaiting(int agent) {
        int epoch = epochs[agent];
        return epoch > 1 && new AgentControl(links.fromNic(), layout.agentControl(epoch - 1, agent), epoch - 1)
                .isWaiting();
    }

    @Override
    public @Nullable TakeOver takeOver(int agent) {
        long at = layout.takeOver(epochs[agent], agent);
        Window window = links.fromNic();
        window.invalidateLine(at);
        long noticed = window.loadAcquire(at);
        return noticed == 0
                ? null
                : new TakeOver(noticed, window.loadAcquire(at + 8), window.loadAcquire(at + 16));
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
        for (int agent = 0; agent < agents.length; agent++) {
            steer(agent, true);
        }
    }
}
