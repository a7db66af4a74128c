package dev.bascule.local;

import dev.bascule.agent.AgentControl;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.HostControl;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.ring.SlotRing;
import dev.bascule.ring.SlotRingProducer;
import dev.bascule.ring.Waiter;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The host's end of the local transport. */
public final class LocalHost implements MechanismEnd {
    private final PinnedMemory pinned;
    private final PinnedWindow memory;
    private final LocalLayout layout;
    private final EnclaveShape shape;
    private final Waiter waiter;
    private final HostControl control;
    private final StatusTable status;
    private final StatusTable[] statusOfCpus;
    private final TransportCounters counters = new TransportCounters();
    private final TransportCounters[] countersOfCpus;
    private final SlotRingProducer[] channels;
    private final AgentControl[] agents;
    private final int[] next;
    private final long[] kicksSeen;
    private int epoch;
    private int generation;

    /**
     * Lays a region out in {@code pinned} and opens its next epoch: the first on zeroed memory, one more than the last
     * on the memory of a former host with the same shape.
     *
     * @throws AgentException if the memory is too small
     */
    public LocalHost(PinnedMemory pinned, EnclaveShape shape, Waiter waiter) {
        layout = new LocalLayout(shape);
        if (pinned.sizeBytes() < layout.sizeBytes()) {
            throw new AgentException("lay out local region: needs " + layout.sizeBytes() + " bytes, has "
                    + pinned.sizeBytes());
        }
        this.pinned = pinned;
        this.memory = new PinnedWindow(pinned);
        this.shape = shape;
        this.waiter = waiter;
        control = new HostControl(memory, LocalLayout.HOST_CONTROL);
        status = new StatusTable(memory, layout.status(), shape);
        channels = new SlotRingProducer[shape.agents()];
        agents = new AgentControl[shape.agents()];
        statusOfCpus = new StatusTable[shape.cpus()];
        Arrays.setAll(statusOfCpus, cpu -> new StatusTable(memory, layout.status(), shape));
        countersOfCpus = new TransportCounters[shape.cpus()];
        Arrays.setAll(countersOfCpus, cpu -> new TransportCounters());
        next = new int[shape.cpus()];
        kicksSeen = new long[shape.cpus()];
        epoch = control.epoch();
        control.requireStart(epoch + 1);
        openEpoch();
        new RegionHeader(RegionHeader.LOCAL, shape, 0).write(memory, LocalLayout.HEADER);
    }

    /** Bytes a region of this shape needs. */
    public static long sizeBytes(EnclaveShape shape) {
        return new LocalLayout(shape).sizeBytes();
    }

    /** What is wrong with the region that a former host left; null if it is whole, whatever its shape. */
    public static @Nullable String damage(PinnedMemory pinned) {
        if (pinned.sizeBytes() < LocalLayout.HEADER + 64) {
            return "it is cut off at " + pinned.sizeBytes() + " bytes";
        }
        try {
            EnclaveShape shape = RegionHeader.read(new PinnedWindow(pinned), LocalLayout.HEADER, RegionHeader.LOCAL)
                    .shape();
            return pinned.sizeBytes() == sizeBytes(shape)
                    ? null
                    : "it has " + pinned.sizeBytes() + " of " + sizeBytes(shape) + " bytes";
        } catch (AgentException | IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
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
        long[] w = message.words();
        boolean fits = channels[agent].write(w[0], w[1], w[2], w[3], w[4], w[5], 0);
        if (!fits) {
            counters.overflows++;
        }
        return fits;
    }

    @Override
    public void commit() {
        for (SlotRingProducer channel : channels) {
            channel.commit();
        }
    }

    @Override
    public void want(int cpu) {
        // coherent memory: nothing to overlap
    }

    @Override
    public boolean poll(int cpu, Transaction into) {
        for (int look = 0; look <= shape.places(); look++) {
            int number = next[cpu];
            long line = layout.slot(epoch, cpu, number);
            long head = memory.loadAcquire(line);
            if (Slot.isLater(head, number, epoch, shape.places())) { // withdrawn, and its place used again: so were those before
                next[cpu] = Slot.number(head) - shape.staged() + 1;
                continue;
            }
            if (!Slot.is(head, number, epoch, Slot.READY)) {
                return false;
            }
            next[cpu]++;
            if (Slot.claim(memory, layout.claim(epoch, cpu, number), number, epoch)) {
                Slot.read(memory, line, cpu, number, into);
                return true;
            } // else withdrawn by the agent
        }
        return false; // the agent withdraws as fast as this end looks: the next call goes on
    }

    @Override
    public void settle(Transaction decision, Outcome outcome) {
        int number = decision.number();
        Slot.settle(memory, layout.outcome(epoch, decision.slotCpu(), number), number, epoch, outcome);
    }

    @Override
    public void abandon(int cpu) {
        // nothing is open between decisions
    }

    @Override
    public boolean isKicked(int cpu) {
        long kicks = memory.loadAcquire(layout.cpu(epoch, cpu));
        if (kicks == kicksSeen[cpu] || kicks >>> 48 != epoch) {
            return false;
        }
        kicksSeen[cpu] = kicks;
        countersOfCpus[cpu].interrupts++;
        return true;
    }

    @Override
    public boolean sleep(int cpu, long timeoutNanos) {
        return waiter.await(timeoutNanos);
    }

    @Override
    public boolean enterSleep(int cpu) {
        memory.storeRelease(layout.cpu(epoch, cpu) + LocalLayout.PLACE, 1);
        VarHandle.fullFence(); // partner: the full fence in LocalAgent.commit; one of the two sees the other's store
        int number = next[cpu];
        long head = memory.loadAcquire(layout.slot(epoch, cpu, number));
        return Slot.is(head, number, epoch, Slot.READY) || Slot.isLater(head, number, epoch, shape.places());
    }

    @Override
    public void leaveSleep(int cpu) {
        memory.storeRelease(layout.cpu(epoch, cpu) + LocalLayout.PLACE, 0);
    }

    @Override
    public void requestResync() {
        generation++;
        counters.resyncs++;
        control.write(epoch, false, generation);
    }

    @Override
    public int openEpoch() {
        control.require(epoch + 1);
        epoch++;
        pinned.segment().asSlice(layout.bank(epoch), layout.bankSize()).fill((byte) 0);
        for (int agent = 0; agent < shape.agents(); agent++) {
            PinnedMemory ring = pinned.slice(layout.channel(epoch, agent), layout.ringBytes());
            channels[agent] = SlotRing.producer(ring, shape.channelEntries(), LocalLayout.firstMessage(epoch));
            agents[agent] = new AgentControl(memory, layout.agentControl(epoch, agent), epoch);
        }
        Arrays.fill(next, 1);
        Arrays.fill(kicksSeen, 0);
        generation++;
        control.write(epoch, false, generation);
        return epoch;
    }

    @Override
    public boolean isReady(int agent) {
        return agents[agent].isReady();
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
        return statusOfCpus[cpu];
    }

    @Override
    public void tick() {
        // coherent memory loses nothing
    }

    @Override
    public TransportCounters counters() {
        TransportCounters all = counters.copy();
        for (TransportCounters cpu : countersOfCpus) {
            all.add(cpu);
        }
        return all;
    }

    @Override
    public void close() {
        control.write(epoch, true, generation);
    }
}
