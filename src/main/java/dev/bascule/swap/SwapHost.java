package dev.bascule.swap;

import dev.bascule.agent.AgentControl;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.HostControl;
import dev.bascule.agent.Lines;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageSender;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Outgoing;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of the bilateral swap as a transport: one cell a CPU decides by ownership exchange, and events and
 * status words go the same way as Wave's. Calls of the seam and what they are here: {@link #want} makes the offer,
 * {@link #poll} commits the exchange that the agent promised, {@link #settle} tells in the next host line what became of
 * the decision, {@link #abandon} reverses, {@link #openEpoch} fences. The host checks each decision against its task
 * table, as over every transport.
 */
public final class SwapHost implements MechanismEnd {
    /** Looks that found nothing between two looks at the clock, which takes as long; a power of two. */
    private static final int MISSES_PER_LOOK = 16;

    private final SwapLinks links;
    private final SwapLayout layout;
    private final EnclaveShape shape;
    private final Clock clock;
    private final Window out;
    private final Window in;
    private final Window host;
    private final HostControl control;
    private final StatusTable status;
    private final TransportCounters counters = new TransportCounters();
    private final MessageSender[] channels;
    private final AgentControl[] agents;
    private final HostPort[] ports;
    private final CpuInterrupts interrupts;
    private final SwapCpu[] cpus;
    private final Outgoing outgoing;
    private final Absence absence;
    private final int[] misses;
    private final List<String> repairs;
    private int epoch;
    private int generation;

    /**
     * Lays the region out and opens its next epoch: the first on zeroed memory, one more than the last on the memory of
     * a former host with the same shape and options. What was found there is in {@link #repairs}.
     *
     * @throws AgentException if a memory is too small
     * @throws dev.bascule.agent.DamagedRegionException if what is there is of another version, shape or mode
     */
    public SwapHost(SwapLinks links, EnclaveShape shape, SwapOptions options) {
        this(links, shape, options, Clock.system());
    }

    /** The same on another clock, for virtual time. */
    public SwapHost(SwapLinks links, EnclaveShape shape, SwapOptions options, Clock clock) {
        this(links, shape, options, Ledger.OFF, clock);
    }

    SwapHost(SwapLinks links, EnclaveShape shape, SwapOptions options, Ledger ledger) {
        this(links, shape, options, ledger, Clock.system());
    }

    private SwapHost(SwapLinks links, EnclaveShape shape, SwapOptions options, Ledger ledger, Clock clock) {
        this.clock = clock;
        layout = new SwapLayout(shape, options.mode());
        links.require(layout, options.mode());
        this.links = links;
        this.shape = shape;
        out = links.toNic();
        in = links.fromNic();
        host = links.hostMemory();
        RegionHeader header = new RegionHeader(RegionHeader.SWAP, shape, options.placement());
        boolean former = header.isOn(in, SwapLayout.HEADER);
        control = new HostControl(out, SwapLayout.HOST_CONTROL);
        status = new StatusTable(host, layout.status(), shape);
        channels = new MessageSender[shape.agents()];
        agents = new AgentControl[shape.agents()];
        outgoing = new Outgoing(out, counters);
        cpus = new SwapCpu[shape.cpus()];
        Arrays.setAll(cpus, cpu -> cpu());
        interrupts = new CpuInterrupts(cpus, layout, options, clock);
        absence = new Absence(shape);
        misses = new int[shape.cpus()];
        PortFactory factory = new PortFactory(cpus, layout, options, ledger, clock);
        int last = former ? new HostControl(in, SwapLayout.HOST_CONTROL).epoch() : 0;
        epoch = Math.max(last + 1, former ? factory.nextEpoch() : 1);
        control.requireStart(epoch);
        layout.clearBank(out, host, epoch);
        ports = former ? factory.recover(epoch) : factory.create(epoch);
        repairs = List.copyOf(factory.repairs());
        begin();
        header.write(out, SwapLayout.HEADER);
    }

    /** With windows of its own where the host has several threads. */
    private SwapCpu cpu() {
        SwapLinks own = links.another();
        if (own == links) {
            return new SwapCpu(links, counters, outgoing, new StatusTable(host, layout.status(), shape));
        }
        TransportCounters counted = new TransportCounters();
        return new SwapCpu(own, counted, new Outgoing(own.toNic(), counted),
                new StatusTable(own.hostMemory(), layout.status(), shape));
    }

    /** Bytes of NIC memory a region needs. */
    public static long nicBytes(EnclaveShape shape, SwapOptions options) {
        return new SwapLayout(shape, options.mode()).nicBytes();
    }

    /** Bytes of host memory a region needs. */
    public static long hostBytes(EnclaveShape shape, SwapOptions options) {
        return new SwapLayout(shape, options.mode()).hostBytes();
    }

    /** Bytes of host memory, from its start, that the NIC has to reach; what is behind them is the host's alone. */
    public static long sharedHostBytes(EnclaveShape shape, SwapOptions options) {
        return new SwapLayout(shape, options.mode()).hostPrivate();
    }

    /** What a former host left in other than good order, and how it was mended; empty if nothing. */
    public List<String> repairs() {
        return repairs;
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
    public boolean post(int agent, Message message) {
        if (!channels[agent].send(message.words())) {
            counters.overflows++;
            return false;
        }
        outgoing.touch();
        return true;
    }

    @Override
    public void commit() {
        outgoing.commit();
    }

    @Override
    public void commit(int cpu) {
        if (ports[cpu].owes() && !absence.isAbsent(shape.agentOf(cpu))) {
            ports[cpu].write();
            cpus[cpu].outgoing().touch();
        }
        cpus[cpu].outgoing().commit();
    }

    @Override
    public void want(int cpu) {
        if (absence.mayOffer(shape.agentOf(cpu), cpu)) {
            ports[cpu].want();
        }
    }

    @Override
    public boolean poll(int cpu, Transaction into) {
        if (ports[cpu].poll(into)) {
            return true;
        }
        if ((++misses[cpu] & MISSES_PER_LOOK - 1) == 0) {
            ports[cpu].expire(clock.nanoTime());
        }
        return false;
    }

    @Override
    public void settle(Transaction decision, Outcome outcome) {
        ports[decision.slotCpu()].settle(decision, outcome);
    }

    @Override
    public void abandon(int cpu) {
        ports[cpu].abandon();
    }

    @Override
    public boolean isKicked(int cpu) {
        return interrupts.take(epoch, cpu);
    }

    @Override
    public boolean sleep(int cpu, long timeoutNanos) {
        return links.waiter(cpu).await(timeoutNanos);
    }

    @Override
    public boolean enterSleep(int cpu) {
        interrupts.ask(epoch, cpu, true);
        return ports[cpu].hasAnswer();
    }

    @Override
    public void leaveSleep(int cpu) {
        interrupts.ask(epoch, cpu, false);
    }

    @Override
    public void requestResync() {
        generation++;
        counters.resyncs++;
        control.write(epoch, false, generation);
    }

    @Override
    public void tick() {
        for (int agent = 0; agent < channels.length; agent++) {
            out.storeRelease(layout.total(epoch, agent),
                    Lines.seal((long) channels[agent].sent() << 32, layout.total(epoch, agent)));
        }
        long now = clock.nanoTime();
        for (int cpu = 0; cpu < ports.length; cpu++) {
            ports[cpu].repeat();
            ports[cpu].expire(now);
            commit(cpu);
        }
        control.write(epoch, false, generation);
    }

    @Override
    public @Nullable String trouble() {
        for (HostPort port : ports) {
            if (port.trouble() != null) {
                return port.trouble();
            }
        }
        return null;
    }

    @Override
    public int openEpoch() {
        control.require(epoch + 1);
        epoch++;
        layout.clearBank(out, host, epoch);
        for (HostPort port : ports) {
            port.fence(epoch);
        }
        begin();
        return epoch;
    }

    /** Opens the epoch for agents; what it needs is there. */
    private void begin() {
        for (int agent = 0; agent < shape.agents(); agent++) {
            channels[agent] = new MessageSender(out, in, layout.channel(epoch, agent), shape.channelEntries(),
                    layout.credit(epoch, agent), epoch);
            agents[agent] = new AgentControl(in, layout.agentControl(epoch, agent), epoch);
        }
        interrupts.clear();
        generation++;
        control.write(epoch, false, generation);
    }

    @Override
    public boolean isReady(int agent) {
        return absence.saw(agent, agents[agent].isReady(), ports);
    }

    @Override
    public long heartbeat(int agent) {
        return agents[agent].heartbeat();
    }

    @Override
    public StatusTable status() {
        return status;
    }

    @Override
    public StatusTable status(int cpu) {
        return cpus[cpu].status();
    }

    @Override
    public TransportCounters counters() {
        TransportCounters all = counters;
        for (SwapCpu cpu : cpus) {
            if (cpu.counters() != counters) {
                all = all == counters ? counters.copy() : all;
                all.add(cpu.counters());
            }
        }
        return all;
    }

    @Override
    public void close() {
        control.write(epoch, true, generation);
    }
}
