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
import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.SlotRing;
import dev.bascule.ring.SlotRingProducer;
import dev.bascule.ring.Waiter;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** The host's end of the local transport. */
public final class LocalHost implements MechanismEnd {
    private final PinnedMemory pinned;
    private final MemorySegment memory;
    private final LocalLayout layout;
    private final EnclaveShape shape;
    private final Waiter waiter;
    private final HostControl control;
    private final StatusTable status;
    private final TransportCounters counters = new TransportCounters();
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
        MemorySegment memory = pinned.segment();
        if (memory.byteSize() < layout.sizeBytes()) {
            throw new AgentException("lay out local region: needs " + layout.sizeBytes() + " bytes, has "
                    + memory.byteSize());
        }
        this.pinned = pinned;
        this.memory = memory;
        this.shape = shape;
        this.waiter = waiter;
        DirectWindow window = new DirectWindow(memory);
        control = new HostControl(window, LocalLayout.HOST_CONTROL);
        status = new StatusTable(window, layout.status(), shape);
        channels = new SlotRingProducer[shape.agents()];
        agents = new AgentControl[shape.agents()];
        next = new int[shape.cpus()];
        kicksSeen = new long[shape.cpus()];
        epoch = control.epoch();
        openEpoch();
        new RegionHeader(RegionHeader.LOCAL, shape, 0).write(window, LocalLayout.HEADER);
    }

    /** Bytes a region of this shape needs. */
    public static long sizeBytes(EnclaveShape shape) {
        return new LocalLayout(shape).sizeBytes();
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
        while (true) {
            long slot = layout.slot(epoch, cpu, next[cpu]);
            long head = Slot.load(memory, slot);
            if (Slot.number(head) != next[cpu] || Slot.epoch(head) != epoch) {
                return false;
            }
            if (Slot.state(head) == Slot.SETTLED) {
                next[cpu]++; // withdrawn by the agent
            } else if (Slot.state(head) != Slot.READY) {
                return false;
            } else if (Slot.claim(memory, slot, cpu, head, into)) {
                next[cpu]++;
                return true;
            }
        }
    }

    @Override
    public void settle(Transaction decision, Outcome outcome) {
        long slot = layout.slot(epoch, decision.slotCpu(), decision.number());
        Slot.settle(memory, slot, decision.number(), epoch, outcome);
    }

    @Override
    public void abandon(int cpu) {
        // nothing is open between decisions
    }

    @Override
    public boolean isKicked(int cpu) {
        long kicks = Slot.word(memory, layout.cpu(epoch, cpu));
        if (kicks == kicksSeen[cpu]) {
            return false;
        }
        kicksSeen[cpu] = kicks;
        return true;
    }

    @Override
    public boolean await(int cpu, long timeoutNanos) {
        boolean woken = enterSleep(cpu) || waiter.await(timeoutNanos);
        leaveSleep(cpu);
        counters.interrupts += woken ? 1 : 0;
        return woken;
    }

    @Override
    public boolean enterSleep(int cpu) {
        Slot.word(memory, layout.cpu(epoch, cpu) + LocalLayout.LINE, 1);
        VarHandle.fullFence(); // partner: the full fence in LocalAgent.commit; one of the two sees the other's store
        return isReady(Slot.load(memory, layout.slot(epoch, cpu, next[cpu])), cpu);
    }

    @Override
    public void leaveSleep(int cpu) {
        Slot.word(memory, layout.cpu(epoch, cpu) + LocalLayout.LINE, 0);
    }

    private boolean isReady(long head, int cpu) {
        return Slot.number(head) == next[cpu] && Slot.epoch(head) == epoch && Slot.state(head) == Slot.READY;
    }

    @Override
    public void requestResync() {
        generation++;
        counters.resyncs++;
        control.write(epoch, false, generation);
    }

    @Override
    public int openEpoch() {
        if (epoch == 0xffff) {
            throw new AgentException("open epoch: all 65,535 epochs of this region are used; start on a new region");
        }
        epoch++;
        memory.asSlice(layout.bank(epoch), layout.bankSize()).fill((byte) 0);
        DirectWindow window = new DirectWindow(memory);
        for (int agent = 0; agent < shape.agents(); agent++) {
            PinnedMemory ring = pinned.slice(layout.channel(epoch, agent), layout.ringBytes());
            channels[agent] = SlotRing.producer(ring, shape.channelEntries());
            agents[agent] = new AgentControl(window, layout.agentControl(epoch, agent), epoch);
        }
        java.util.Arrays.fill(next, 1);
        java.util.Arrays.fill(kicksSeen, 0);
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
    public void tick() {
        // coherent memory loses nothing
    }

    @Override
    public TransportCounters counters() {
        return counters;
    }

    @Override
    public void close() {
        control.write(epoch, true, generation);
    }
}
