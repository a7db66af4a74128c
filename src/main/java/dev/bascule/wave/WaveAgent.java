package dev.bascule.wave;

import dev.bascule.agent.AgentControl;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.HostControl;
import dev.bascule.agent.Lines;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageReceiver;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.OutcomeWord;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;
import dev.bascule.ring.Doorbell;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;

/**
 * An agent's end of Wave's transport, on the NIC: its own memory is coherent (WB), host memory is reached by DMA.
 */
public final class WaveAgent implements AgentEnd {
    private final Window nic;
    private final Window hostMemory;
    private final Doorbell bell;
    private final LongSupplier clock;
    private final WaveLayout layout;
    private final EnclaveShape shape;
    private final int agent;
    private final int epoch;
    private final long nonce;
    private final boolean push;
    private final boolean prestage;
    private final HostControl host;
    private final AgentControl self;
    private final StatusTable status;
    private final MessageReceiver channel;
    private final TransportCounters counters = new TransportCounters();
    private final int[] staged;
    private final int[] settled;
    private final long[] withdrawn;
    private final long[][] decisions;
    private final boolean[] dirty;
    private final int[] dirtyCpus;
    private final long[] decided = new long[Message.WORDS];
    private final long[] whole = new long[Lines.WORDS];
    private int dirtyCount;
    private long beats;

    /**
     * Attaches agent number {@code agent} to the region's current epoch.
     *
     * @param nonce tells this agent from any other; a process id will do
     * @param bell sends the host an interrupt for a CPU
     * @throws AgentException if there is no intact region, or the place is taken
     */
    public WaveAgent(Window nic, Window hostMemory, int agent, long nonce, Doorbell bell) {
        this(nic, hostMemory, agent, nonce, bell, System::nanoTime);
    }

    /** The same on another clock, for virtual time and for the state explorer. */
    public WaveAgent(Window nic, Window hostMemory, int agent, long nonce, Doorbell bell, LongSupplier clock) {
        this.clock = clock;
        this.nic = nic;
        this.hostMemory = hostMemory;
        this.agent = agent;
        this.nonce = nonce;
        this.bell = bell;
        RegionHeader header = RegionHeader.read(nic, WaveLayout.HEADER, RegionHeader.WAVE);
        shape = header.shape();
        shape.requireAgent(agent);
        push = WaveOptions.isPush(header.placement());
        prestage = WaveOptions.isPrestage(header.placement());
        layout = new WaveLayout(shape);
        if (nic.sizeBytes() < layout.nicBytes() || hostMemory.sizeBytes() < layout.hostBytes()) {
            throw new AgentException("attach to Wave region: it is cut off: needs " + layout.nicBytes()
                    + " bytes of NIC memory and " + layout.hostBytes() + " of host memory, has " + nic.sizeBytes()
                    + " and " + hostMemory.sizeBytes() + "; restart the host");
        }
        host = new HostControl(nic, WaveLayout.HOST_CONTROL);
        epoch = host.epoch();
        self = new AgentControl(nic, layout.agentControl(epoch, agent), epoch);
        self.attach(nonce, agent);
        status = new StatusTable(hostMemory, layout.status(), shape);
        channel = new MessageReceiver(nic, layout.channel(epoch, agent), shape.channelEntries(),
                layout.credit(epoch, agent), epoch, counters);
        staged = new int[shape.cpus()];
        settled = new int[shape.cpus()];
        withdrawn = new long[shape.cpus()];
        decisions = new long[shape.cpus()][shape.places() * Message.WORDS];
        dirty = new boolean[shape.cpus()];
        dirtyCpus = new int[shape.cpus()];
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

    @Override
    public int room(int cpu) {
        if (shape.agentOf(cpu) != agent) {
            return 0;
        }
        int room = shape.staged() - (staged[cpu] - settled[cpu]);
        if (prestage || room == 0) {
            return room;
        }
        return (int) nic.loadAcquire(layout.wanted(epoch, cpu)) == staged[cpu] + 1 ? 1 : 0;
    }

    @Override
    public boolean stage(int cpu, Transaction transaction) {
        if (cpu < 0 || cpu >= shape.cpus() || room(cpu) == 0) {
            return false;
        }
        int number = ++staged[cpu];
        withdrawn[cpu] &= ~bit(number);
        transaction.slot(cpu, number, 0);
        System.arraycopy(transaction.words(), 0, decisions[cpu], index(number), Message.WORDS);
        SlotLine.write(slotWindow(), slot(cpu, number), SlotLine.head(number, epoch, SlotLine.DECISION, 0),
                transaction.words(), whole);
        if (!dirty[cpu]) {
            dirty[cpu] = true;
            dirtyCpus[dirtyCount++] = cpu;
        }
        if ((transaction.commitFlags() & Transaction.AT_COMMIT) != 0) {
            interrupt(cpu);
        }
        return true;
    }

    private int index(int number) {
        return shape.place(number) * Message.WORDS;
    }

    /** A mark for each place: a decision staged later leaves the marks of those before it. */
    private long bit(int number) {
        return 1L << shape.place(number);
    }

    private boolean isWithdrawn(int cpu, int number) {
        return (withdrawn[cpu] & bit(number)) != 0;
    }

    private Window slotWindow() {
        return push ? hostMemory : nic;
    }

    private long slot(int cpu, int number) {
        return push ? layout.hostSlot(epoch, cpu, number) : layout.nicSlot(epoch, cpu, number);
    }

    private void interrupt(int cpu) {
        hostMemory.storeRelease(layout.interrupt(epoch, cpu), clock.getAsLong());
        hostMemory.writeFence();
        counters.interrupts++;
    }

    @Override
    public void commit() {
        slotWindow().writeFence();
        VarHandle.fullFence(); // partner: the full fence in WaveHost.enterSleep; one of the two sees the other's store
        counters.fences++;
        while (dirtyCount > 0) {
            int cpu = dirtyCpus[--dirtyCount];
            dirty[cpu] = false;
            if (nic.loadAcquire(layout.sleeping(epoch, cpu)) != 0) {
                interrupt(cpu);
                bell.ring(cpu);
            }
        }
    }

    @Override
    public boolean withdraw(int cpu) {
        int number = staged[cpu];
        if (number == settled[cpu] || isWithdrawn(cpu, number)) {
            return false;
        }
        withdrawn[cpu] |= bit(number);
        rewrite(cpu, number);
        slotWindow().writeFence();
        return true;
    }

    private void rewrite(int cpu, int number) {
        System.arraycopy(decisions[cpu], index(number), decided, 0, Message.WORDS);
        boolean taken = isWithdrawn(cpu, number);
        long head = SlotLine.head(number, epoch, taken ? SlotLine.WITHDRAWN : SlotLine.DECISION, taken ? 1 : 0);
        SlotLine.write(slotWindow(), slot(cpu, number), head, decided, whole);
    }

    @Override
    public int outcomes(OutcomeSink sink) {
        return outcomes(0, staged.length, sink);
    }

    @Override
    public int outcomes(int firstCpu, int cpus, OutcomeSink sink) {
        int count = 0;
        for (int cpu = firstCpu; cpu < Math.min(firstCpu + cpus, staged.length); cpu++) {
            while (settled[cpu] != staged[cpu] && settleOne(cpu, sink)) {
                count++;
            }
        }
        return count;
    }

    private boolean settleOne(int cpu, OutcomeSink sink) {
        int number = settled[cpu] + 1;
        long at = layout.outcome(epoch, cpu, number);
        if (!nic.arrived(at & -WaveLayout.LINE)) {
            return false;
        }
        Outcome outcome = OutcomeWord.read(nic.loadAcquire(at), number, epoch, at);
        if (outcome == null) {
            return false;
        }
        settled[cpu] = number;
        sink.settled(cpu, number, decisions[cpu][index(number)], outcome);
        return true;
    }

    @Override
    public void heartbeat() {
        self.beat(++beats);
    }

    @Override
    public void tick() {
        for (int cpu = 0; cpu < staged.length; cpu++) {
            for (int number = settled[cpu] + 1; number - staged[cpu] <= 0; number++) {
                rewrite(cpu, number);
            }
        }
        slotWindow().writeFence();
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
