package dev.bascule.swap;

import dev.bascule.agent.CpuList;
import dev.bascule.agent.AgentControl;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.HostControl;
import dev.bascule.agent.Lines;
import dev.bascule.agent.MessageReceiver;
import dev.bascule.agent.Message;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An agent's end of the bilateral swap, on the NIC. A staged decision waits here until the host offers; then it is
 * promised, and in escrow until a later host line tells the outcome. A promise that the host reversed is ABORTED, and
 * the policy may decide anew.
 */
public final class SwapAgent implements AgentEnd {
    /** CPUs looked at in a round whose policy did not ask for outcomes. */
    private static final int LOOKS = 32;

    private final Window nic;
    private final Window hostMemory;
    private final Doorbell bell;
    private final Clock clock;
    private final SwapLayout layout;
    private final EnclaveShape shape;
    private final int agent;
    private final int epoch;
    private final long nonce;
    private final HostControl host;
    private final AgentControl self;
    private final StatusTable status;
    private final MessageReceiver channel;
    private final TransportCounters counters = new TransportCounters();
    private final @Nullable AgentPort[] ports;
    private final boolean[] urgent;
    private final CpuList staged;
    private int nextLook;
    private boolean looked;
    private long beats;

    /**
     * Attaches agent number {@code agent} to the region's current epoch.
     *
     * @param nic NIC memory
     * @param hostMemory host memory as the NIC reaches it
     * @param coherent the NIC memory itself, for the one-word mode; null where it is not coherent with the host
     * @param nonce tells this agent from any other; a process id will do
     * @param bell sends the host an interrupt for a CPU
     * @throws AgentException if there is no intact region, or the place is taken
     */
    public SwapAgent(Window nic, Window hostMemory, @Nullable MemorySegment coherent, int agent, long nonce,
            Doorbell bell) {
        this(nic, hostMemory, coherent, agent, nonce, bell, Clock.system());
    }

    /** The same on another clock, for virtual time. */
    public SwapAgent(Window nic, Window hostMemory, @Nullable MemorySegment coherent, int agent, long nonce,
            Doorbell bell, Clock clock) {
        this(nic, hostMemory, coherent, agent, nonce, bell, Ledger.OFF, clock);
    }

    SwapAgent(Window nic, Window hostMemory, @Nullable MemorySegment coherent, int agent, long nonce, Doorbell bell,
            Ledger ledger) {
        this(nic, hostMemory, coherent, agent, nonce, bell, ledger, Clock.system());
    }

    private SwapAgent(Window nic, Window hostMemory, @Nullable MemorySegment coherent, int agent, long nonce,
            Doorbell bell, Ledger ledger, Clock clock) {
        this.clock = clock;
        this.nic = nic;
        this.hostMemory = hostMemory;
        this.agent = agent;
        this.nonce = nonce;
        this.bell = bell;
        RegionHeader header = RegionHeader.read(nic, SwapLayout.HEADER, RegionHeader.SWAP);
        shape = header.shape();
        shape.requireAgent(agent);
        SwapMode mode = SwapOptions.mode(header.placement());
        layout = new SwapLayout(shape, mode);
        layout.requireSizes(nic, hostMemory);
        host = new HostControl(nic, SwapLayout.HOST_CONTROL);
        epoch = host.epoch();
        self = new AgentControl(nic, layout.agentControl(epoch, agent), epoch);
        status = new StatusTable(hostMemory, layout.status(), shape);
        channel = new MessageReceiver(nic, layout.channel(epoch, agent), shape.channelEntries(),
                layout.credit(epoch, agent), epoch, counters);
        ports = new AgentPort[shape.cpus()];
        for (int cpu = 0; cpu < ports.length; cpu++) {
            if (shape.agentOf(cpu) == agent) {
                ports[cpu] = mode == SwapMode.ONE_WORD
                        ? word(cpu, SwapLinks.requireCoherent(coherent, layout))
                        : lines(cpu, mode, SwapOptions.isPush(header.placement()), ledger);
            }
        }
        urgent = new boolean[shape.cpus()];
        staged = new CpuList(shape.cpus());
        self.attach(nonce, agent);
    }

    private AgentPort word(int cpu, MemorySegment memory) {
        return new WordAgentPort(cpu, epoch, new SegmentWord(memory, layout.word(epoch, cpu)), host, nic, layout);
    }

    private AgentPort lines(int cpu, SwapMode mode, boolean push, Ledger ledger) {
        Window window = push ? hostMemory : nic;
        Line[] decisions = new Line[layout.batch()];
        for (int i = 0; i < decisions.length; i++) {
            decisions[i] = new WindowLine(window, layout.decision(push, epoch, cpu, i));
        }
        AgentCell cell = new AgentCell(cpu, epoch, epoch, new WindowLine(nic, layout.hostLine(cpu)),
                new WindowLine(window, layout.agentLine(push, epoch, cpu)), ledger);
        return new LineAgentPort(cpu, epoch, cell, new BatchArea(decisions), mode, shape.staged());
    }

    @Override
    public EnclaveShape shape() {
        return shape;
    }

    @Override
    public int agent() {
        return agent;
    }

    @Override
    public int epoch() {
        return epoch;
    }

    @Override
    public boolean isFenced() {
        return host.isOver(epoch) || !self.isHeldBy(nonce);
    }

    @Override
    public boolean peek(Message into) {
        if (channel.peek(into.words())) {
            return true;
        }
        if (channel.needsCare()) {
            channel.recover(sentByHost());
        }
        return false;
    }

    private int sentByHost() {
        long total = nic.loadAcquire(layout.total(epoch, agent));
        return Lines.isSealed(total, layout.total(epoch, agent)) ? (int) (total >>> 32) : channel.taken();
    }

    @Override
    public void consume() {
        channel.consume();
    }

    @Override
    public int barrier() {
        return channel.taken();
    }

    @Override
    public int resyncGeneration() {
        return host.generation() + channel.skipped();
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
        if (port == null || !port.hasRoom() && port.room() == 0) {
            return false;
        }
        port.stage(transaction);
        staged.add(cpu);
        urgent[cpu] |= (transaction.commitFlags() & Transaction.AT_COMMIT) != 0;
        return true;
    }

    @Override
    public void commit() {
        while (!staged.isEmpty()) {
            int cpu = staged.take();
            AgentPort port = port(cpu);
            if (port != null) {
                port.commit();
                turn(cpu, port);
            }
        }
    }

    /** One look at a cell; promises what was asked for, and wakes the CPU if it sleeps. */
    private void turn(int cpu, @Nullable AgentPort port) {
        if (port != null && port.turn()) {
            ring(cpu);
        }
    }

    private void ring(int cpu) {
        VarHandle.fullFence(); // partner: the full fence in CpuInterrupts.ask; one of the two sees the other's store
        counters.fences++;
        boolean sleeping = nic.loadAcquire(layout.sleeping(epoch, cpu)) != 0;
        if (sleeping || urgent[cpu]) {
            urgent[cpu] = false;
            hostMemory.storeRelease(layout.interrupt(epoch, cpu), clock.nanoTime());
            hostMemory.writeFence();
            counters.interrupts++;
        }
        if (sleeping) {
            bell.ring(cpu);
        }
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
                turn(cpu, port);
                count += port.outcomes(sink);
            }
        }
        return count;
    }

    /** Offers are answered also if the policy did not ask for outcomes in this round. */
    @Override
    public void heartbeat() {
        self.beat(++beats);
        for (int left = Math.min(LOOKS, ports.length); !looked && left > 0; left--) {
            nextLook = (nextLook + 1) % ports.length;
            turn(nextLook, ports[nextLook]);
        }
        looked = false;
    }

    @Override
    public void tick() {
        for (AgentPort port : ports) {
            if (port != null) {
                port.repeat();
            }
        }
        self.repeat();
        channel.repeatCredit();
    }

    @Override
    public void ready() {
        self.ready();
    }

    @Override
    public TransportCounters counters() {
        return counters;
    }

    @Override
    public void close() {
        // the memory belongs to the caller
    }
}
