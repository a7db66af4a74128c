package dev.bascule.local;

import dev.bascule.agent.AgentControl;
import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.HostControl;
import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.ring.Doorbell;
import dev.bascule.ring.SlotRing;
import dev.bascule.ring.SlotRingConsumer;
import java.lang.invoke.VarHandle;

/** An agent's end of the local transport. */
public final class LocalAgent implements AgentEnd {
    private final PinnedWindow memory;
    private final LocalLayout layout;
    private final EnclaveShape shape;
    private final int agent;
    private final int epoch;
    private final long nonce;
    private final Doorbell bell;
    private final HostControl host;
    private final AgentControl self;
    private final StatusTable status;
    private final SlotRingConsumer channel;
    private final TransportCounters counters = new TransportCounters();
    private final int[] staged;
    private final int[] settled;
    private final long[][] identities;
    private final long[] withdrawn;
    private final long[] kicks;
    private final boolean[] dirty;
    private final int[] dirtyCpus;
    private int dirtyCount;
    private int consumed;
    private long beats;

    /**
     * Attaches agent number {@code agent} to the region's current epoch.
     *
     * @param nonce tells this agent from any other; a process id will do
     * @throws AgentException if there is no intact region, or the place is taken
     */
    public LocalAgent(PinnedMemory pinned, int agent, long nonce, Doorbell bell) {
        this.memory = new PinnedWindow(pinned);
        this.agent = agent;
        this.nonce = nonce;
        this.bell = bell;
        shape = RegionHeader.read(memory, LocalLayout.HEADER, RegionHeader.LOCAL).shape();
        shape.requireAgent(agent);
        layout = new LocalLayout(shape);
        if (memory.sizeBytes() < layout.sizeBytes()) {
            throw new AgentException("attach to local region: it is cut off at " + memory.sizeBytes() + " of "
                    + layout.sizeBytes() + " bytes; restart the host");
        }
        host = new HostControl(memory, LocalLayout.HOST_CONTROL);
        epoch = host.epoch();
        self = new AgentControl(memory, layout.agentControl(epoch, agent), epoch);
        self.attach(nonce, agent);
        status = new StatusTable(memory, layout.status(), shape);
        channel = SlotRing.consumer(pinned.slice(layout.channel(epoch, agent), layout.ringBytes()),
                shape.channelEntries(), LocalLayout.firstMessage(epoch));
        staged = new int[shape.cpus()];
        settled = new int[shape.cpus()];
        identities = new long[shape.cpus()][shape.places()];
        withdrawn = new long[shape.cpus()];
        kicks = new long[shape.cpus()];
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
        if (channel.peek(1) == 0) {
            return false;
        }
        long[] words = into.words();
        for (int i = 0; i < Message.WORDS; i++) {
            words[i] = channel.word(0, i);
        }
        return true;
    }

    @Override
    public void consume() {
        channel.consume(1);
        consumed++;
    }

    @Override
    public int barrier() {
        return consumed;
    }

    @Override
    public int resyncGeneration() {
        return host.generation();
    }

    @Override
    public StatusTable status() {
        return status;
    }

    @Override
    public int room(int cpu) {
        return shape.agentOf(cpu) == agent ? shape.staged() - (staged[cpu] - settled[cpu]) : 0;
    }

    @Override
    public boolean stage(int cpu, Transaction transaction) {
        if (cpu < 0 || cpu >= shape.cpus() || room(cpu) == 0) {
            return false;
        }
        int number = ++staged[cpu];
        transaction.slot(cpu, number, 0);
        identities[cpu][shape.place(number)] = transaction.identity();
        Slot.publish(memory, layout.slot(epoch, cpu, number), transaction, epoch);
        if (!dirty[cpu]) {
            dirty[cpu] = true;
            dirtyCpus[dirtyCount++] = cpu;
        }
        if ((transaction.commitFlags() & Transaction.AT_COMMIT) != 0) {
            memory.storeRelease(layout.cpu(epoch, cpu), LocalLayout.kick(epoch, ++kicks[cpu]));
        }
        return true;
    }

    @Override
    public void commit() {
        VarHandle.fullFence(); // partner: the full fence in LocalHost.enterSleep
        counters.fences++;
        while (dirtyCount > 0) {
            int cpu = dirtyCpus[--dirtyCount];
            dirty[cpu] = false;
            if (memory.loadAcquire(layout.cpu(epoch, cpu) + LocalLayout.PLACE) != 0) {
                bell.ring(cpu);
                counters.interrupts++;
            }
        }
    }

    @Override
    public boolean withdraw(int cpu) {
        int number = staged[cpu];
        if (number == settled[cpu] || !Slot.withdraw(memory, layout.claim(epoch, cpu, number), number, epoch)) {
            return false;
        }
        withdrawn[cpu] |= 1L << shape.place(number);
        return true;
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
        int place = shape.place(number);
        Outcome outcome = Outcome.ABORTED;
        if ((withdrawn[cpu] >>> place & 1) != 0) {
            withdrawn[cpu] &= ~(1L << place);
        } else {
            long head = memory.loadAcquire(layout.outcome(epoch, cpu, number));
            if (!Slot.is(head, number, epoch, Slot.SETTLED)) {
                return false;
            }
            Outcome told = Outcome.ofCode(Slot.outcome(head));
            counters.corrupt += told == null ? 1 : 0;
            outcome = told == null ? Outcome.ABORTED : told;
        }
        settled[cpu] = number;
        sink.settled(cpu, number, identities[cpu][place], outcome);
        return true;
    }

    @Override
    public void heartbeat() {
        self.beat(++beats);
    }

    @Override
    public void ready() {
        self.ready();
    }

    @Override
    public void tick() {
        // coherent memory loses nothing
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
