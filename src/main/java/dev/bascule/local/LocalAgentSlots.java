package dev.bascule.local;

import dev.bascule.agent.Outcome;
import dev.bascule.agent.TransportCounters;
import dev.bascule.agent.region.DecisionSlots;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.ring.Doorbell;
import org.jspecify.annotations.Nullable;

/** One CPU's slots at an agent's end: host and agent race for a decision by compare-and-swap. */
final class LocalAgentSlots implements DecisionSlots {
    private final int cpu;
    private final int epoch;
    private final PinnedWindow memory;
    private final LocalLayout layout;
    private final Doorbell bell;
    private final TransportCounters counters;
    private long kicks;
    private boolean isUrgent;

    LocalAgentSlots(int cpu, int epoch, PinnedWindow memory, LocalLayout layout, Doorbell bell,
            TransportCounters counters) {
        this.cpu = cpu;
        this.epoch = epoch;
        this.memory = memory;
        this.layout = layout;
        this.bell = bell;
        this.counters = counters;
    }

    @Override
    public void write(int number, long[] words, boolean withdrawn) {
        isUrgent |= (words[1] & 0xffff) > 1; // a group is not settled before all of it is there
        Slot.publish(memory, layout.slot(epoch, cpu, number), number, words, epoch);
    }

    @Override
    public boolean withdraw(int number, long[] words) {
        return Slot.withdraw(memory, layout.claim(epoch, cpu, number), number, epoch);
    }

    @Override
    public @Nullable Outcome outcome(int number, boolean withdrawn) {
        if (withdrawn) {
            return Outcome.ABORTED;
        }
        long head = memory.loadAcquire(layout.outcome(epoch, cpu, number));
        if (!Slot.is(head, number, epoch, Slot.SETTLED)) {
            return null;
        }
        Outcome outcome = Outcome.ofCode(Slot.outcome(head));
        counters.corrupt += outcome == null ? 1 : 0;
        return outcome == null ? Outcome.ABORTED : outcome;
    }

    @Override
    public void interrupt() {
        memory.storeRelease(layout.cpu(epoch, cpu), LocalLayout.kick(epoch, ++kicks));
        isUrgent = true;
    }

    @Override
    public void wake() {
        long state = memory.loadAcquire(layout.sleeping(epoch, cpu));
        if (state == LocalLayout.ASLEEP || state == LocalLayout.AT_WORK && isUrgent) {
            bell.ring(cpu);
            counters.interrupts++;
        }
        isUrgent = false;
    }
}
