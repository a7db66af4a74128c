package dev.bascule.local;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.agent.region.CpuPort;
import dev.bascule.memory.PinnedWindow;
import java.lang.invoke.VarHandle;

/** The host's end of one CPU: its slots, its sleep, its interrupts. */
final class LocalCpu implements CpuPort {
    private final int cpu;
    private final PinnedWindow memory;
    private final LocalLayout layout;
    private final EnclaveShape shape;
    private final TransportCounters counters;
    private int epoch;
    private int next;
    private long kicksSeen;

    LocalCpu(int cpu, int epoch, PinnedWindow memory, LocalLayout layout, TransportCounters counters) {
        this.cpu = cpu;
        this.memory = memory;
        this.layout = layout;
        shape = layout.shape();
        this.counters = counters;
        open(epoch);
    }

    @Override
    public void open(int newEpoch) {
        epoch = newEpoch;
        next = 1;
        kicksSeen = 0;
    }

    @Override
    public boolean poll(Transaction into) {
        for (int look = 0; look <= shape.places(); look++) {
            int number = next;
            long line = layout.slot(epoch, cpu, number);
            long head = memory.loadAcquire(line);
            if (Slot.isLater(head, number, epoch, shape.places())) { // withdrawn, and its place used again: so were those before
                next = Slot.number(head) - shape.staged() + 1;
                continue;
            }
            if (!Slot.is(head, number, epoch, Slot.READY)) {
                return false;
            }
            next++;
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
        Slot.settle(memory, layout.outcome(epoch, cpu, number), number, epoch, outcome);
    }

    @Override
    public boolean isKicked() {
        long kicks = memory.loadAcquire(layout.cpu(epoch, cpu));
        if (kicks == kicksSeen || kicks >>> 48 != epoch) {
            return false;
        }
        kicksSeen = kicks;
        counters.interrupts++;
        return true;
    }

    @Override
    public void setSleeping(boolean sleeping) {
        memory.storeRelease(layout.sleeping(epoch, cpu), sleeping ? LocalLayout.ASLEEP : 0);
        if (sleeping) {
            VarHandle.fullFence(); // partner: the full fence in LocalAgent.fence; one of the two sees the other's store
        }
    }

    @Override
    public boolean hasDecision() {
        long head = memory.loadAcquire(layout.slot(epoch, cpu, next));
        return Slot.is(head, next, epoch, Slot.READY) || Slot.isLater(head, next, epoch, shape.places());
    }
}
