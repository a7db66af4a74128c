package dev.bascule.wave;

import dev.bascule.agent.Lines;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeWord;
import dev.bascule.agent.region.CpuDoorbell;
import dev.bascule.agent.region.DecisionSlots;
import dev.bascule.memory.Window;
import org.jspecify.annotations.Nullable;

/** One CPU's slots and outcomes at an agent's end: a decision is taken back by a line of a higher revision. */
final class WaveAgentSlots implements DecisionSlots {
    private final int cpu;
    private final int epoch;
    private final WaveLayout layout;
    private final Window nic;
    private final Window slots;
    private final boolean push;
    private final boolean prestage;
    private final CpuDoorbell doorbell;
    private final long[] whole = new long[Lines.WORDS];

    WaveAgentSlots(int cpu, int epoch, WaveLayout layout, Window nic, Window slots, int placement,
            CpuDoorbell doorbell) {
        this.cpu = cpu;
        this.epoch = epoch;
        this.layout = layout;
        this.nic = nic;
        this.slots = slots;
        this.doorbell = doorbell;
        push = WaveOptions.isPush(placement);
        prestage = WaveOptions.isPrestage(placement);
    }

    @Override
    public int room(int free, int next) {
        return prestage ? free : (int) nic.loadAcquire(layout.wanted(epoch, cpu)) == next ? 1 : 0;
    }

    @Override
    public void write(int number, long[] words, boolean withdrawn) {
        long head = SlotLine.head(number, epoch, withdrawn ? SlotLine.WITHDRAWN : SlotLine.DECISION, withdrawn ? 1 : 0);
        SlotLine.write(slots, layout.slot(push, epoch, cpu, number), head, words, whole);
    }

    @Override
    public boolean withdraw(int number, long[] words) {
        write(number, words, true);
        slots.writeFence();
        return true;
    }

    @Override
    public @Nullable Outcome outcome(int number, boolean withdrawn) {
        long at = layout.outcome(epoch, cpu, number);
        return nic.arrived(at & -WaveLayout.LINE) ? OutcomeWord.read(nic.loadAcquire(at), number, epoch, at) : null;
    }

    @Override
    public void interrupt() {
        doorbell.interrupt();
    }

    @Override
    public void wake() {
        if (doorbell.isSleeping()) {
            doorbell.interrupt();
            doorbell.ring();
        }
    }
}
