package dev.bascule.wave;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Lines;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeWord;
import dev.bascule.agent.Outgoing;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.agent.region.CpuInterrupt;
import dev.bascule.agent.region.CpuPort;
import dev.bascule.agent.region.HostThread;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import java.util.Arrays;

/** The host's end of one CPU: its slots and outcomes, through windows of its own. */
final class WaveCpu implements CpuPort {
    private final int cpu;
    private final WaveLayout layout;
    private final EnclaveShape shape;
    private final WaveOptions options;
    private final HostThread own;
    private final Window out;
    private final Window slots;
    private final Outgoing outgoing;
    private final TransportCounters counters;
    private final CpuInterrupt interrupt;
    private final long[] answers;
    private final long[] whole = new long[Lines.WORDS];
    private int epoch;
    private int next;
    private int asked;
    private boolean prefetched;

    WaveCpu(int cpu, int epoch, HostThread own, WaveLayout layout, WaveOptions options) {
        this.cpu = cpu;
        this.layout = layout;
        this.options = options;
        this.own = own;
        shape = layout.shape();
        outgoing = own.outgoing();
        counters = own.counters();
        out = own.links().toNic();
        slots = options.push() ? own.links().hostMemory() : own.links().fromNic();
        interrupt = new CpuInterrupt(own, options.push(), options.interruptNanos(), Clock.system());
        answers = new long[shape.places()];
        open(epoch);
    }

    @Override
    public void open(int newEpoch) {
        epoch = newEpoch;
        next = 1;
        asked = 0;
        prefetched = false;
        interrupt.open(layout.sleeping(epoch, cpu), layout.interrupt(epoch, cpu));
        Arrays.fill(answers, 0);
    }

    @Override
    public void want() {
        if (!options.prestage()) {
            asked = next;
            out.storeRelease(layout.wanted(epoch, cpu), asked & 0xffff_ffffL);
            outgoing.touch();
        }
        if (options.prefetch()) { // anew: a line fetched early for a decision that was parked is old by now
            long line = slot();
            slots.invalidateLine(line);
            slots.prefetchLine(line);
            prefetched = true;
        }
    }

    @Override
    public boolean poll(Transaction into) {
        for (int look = 0; look <= shape.places(); look++) {
            long line = slot();
            if (prefetched) {
                prefetched = false;
            } else {
                slots.invalidateLine(line);
            }
            if (!slots.arrived(line)) {
                return false;
            }
            long head = slots.loadAcquire(line);
            if (SlotLine.number(head) != next || SlotLine.epoch(head) != epoch) {
                counters.foreignEpoch += head != 0 && SlotLine.epoch(head) != epoch ? 1 : 0;
                return false;
            }
            if (!SlotLine.read(slots, line, cpu, head, into, whole)) {
                counters.torn++;
                return false;
            }
            next++;
            if (SlotLine.kind(head) == SlotLine.DECISION) {
                return true;
            }
            settle(into, Outcome.ABORTED);
        }
        return false; // the agent withdraws as fast as this end looks: the next call goes on
    }

    private long slot() {
        return layout.slot(options.push(), epoch, cpu, next);
    }

    @Override
    public void settle(Transaction decision, Outcome outcome) {
        long at = layout.outcome(epoch, cpu, decision.number());
        long answer = OutcomeWord.of(decision.number(), epoch, outcome, at);
        answers[shape.place(decision.number())] = answer;
        out.storeRelease(at, answer);
        outgoing.touch();
    }

    @Override
    public boolean isKicked() {
        return interrupt.take();
    }

    @Override
    public void setSleeping(boolean sleeping) {
        interrupt.setSleeping(sleeping);
    }

    @Override
    public boolean hasDecision() {
        long line = slot();
        if (slots.isBehind(line, shape.agentOf(cpu))) {
            return true; // one that is on its way, most likely
        }
        slots.invalidateLine(line);
        long head = slots.loadAcquire(line);
        return SlotLine.number(head) == next && SlotLine.epoch(head) == epoch;
    }

    /** Stores that share the host's window leave with the host's next fence. */
    @Override
    public void repeat() {
        if (!options.prestage()) {
            out.storeRelease(layout.wanted(epoch, cpu), asked & 0xffff_ffffL);
        }
        for (int slot = 0; slot < answers.length; slot++) {
            out.storeRelease(layout.outcome(epoch, cpu, slot), answers[slot]);
        }
        if (own.isApart()) {
            out.writeFence();
        }
    }
}
