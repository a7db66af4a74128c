package dev.bascule.wave;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Lines;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeWord;
import dev.bascule.agent.Outgoing;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * One CPU's part of the host's end: its slots, its outcomes, its sleep and its interrupt, through windows of its own.
 * <p>
 * Thread rule: one thread at a time, beside those of other CPUs; {@link #tick} and {@link #open} while no CPU decides.
 */
final class WaveCpu {
    private final int cpu;
    private final WaveLayout layout;
    private final EnclaveShape shape;
    private final WaveOptions options;
    private final Window out;
    private final Window in;
    private final Window host;
    private final Outgoing outgoing;
    private final TransportCounters counters;
    private final StatusTable status;
    private final long[] answers;
    private final long[] whole = new long[Lines.WORDS];
    private int epoch;
    private int next;
    private int asked;
    private boolean prefetched;
    private long interruptSeen;

    WaveCpu(int cpu, WaveLinks links, WaveLayout layout, EnclaveShape shape, WaveOptions options, Outgoing outgoing,
            TransportCounters counters) {
        this.cpu = cpu;
        this.layout = layout;
        this.shape = shape;
        this.options = options;
        this.outgoing = outgoing;
        this.counters = counters;
        out = links.toNic();
        in = links.fromNic();
        host = links.hostMemory();
        status = new StatusTable(host, layout.status(), shape);
        answers = new long[shape.places()];
    }

    /** A new epoch, on a cleared bank. */
    void open(int newEpoch) {
        epoch = newEpoch;
        next = 1;
        asked = 0;
        prefetched = false;
        interruptSeen = 0;
        Arrays.fill(answers, 0);
    }

    StatusTable status() {
        return status;
    }

    TransportCounters counters() {
        return counters;
    }

    void want() {
        if (!options.prestage()) {
            asked = next;
            out.storeRelease(layout.wanted(epoch, cpu), asked & 0xffff_ffffL);
            outgoing.touch();
        }
        if (options.prefetch()) { // anew: a line fetched early for a decision that was parked is old by now
            Window window = slotWindow();
            long line = slot();
            window.invalidateLine(line);
            window.prefetchLine(line);
            prefetched = true;
        }
    }

    boolean poll(Transaction into) {
        Window window = slotWindow();
        for (int look = 0; look <= shape.places(); look++) {
            long line = slot();
            if (prefetched) {
                prefetched = false;
            } else {
                window.invalidateLine(line);
            }
            if (!window.arrived(line)) {
                return false;
            }
            long head = window.loadAcquire(line);
            if (SlotLine.number(head) != next || SlotLine.epoch(head) != epoch) {
                counters.foreignEpoch += head != 0 && SlotLine.epoch(head) != epoch ? 1 : 0;
                return false;
            }
            if (!SlotLine.read(window, line, cpu, head, into, whole)) {
                counters.torn++;
                return false;
            }
            next++;
            if (SlotLine.kind(head) == SlotLine.DECISION) {
                return true;
            }
            answer(into, Outcome.ABORTED);
        }
        return false; // the agent withdraws as fast as this end looks: the next call goes on
    }

    private Window slotWindow() {
        return options.push() ? host : in;
    }

    private long slot() {
        return options.push() ? layout.hostSlot(epoch, cpu, next) : layout.nicSlot(epoch, cpu, next);
    }

    void answer(Transaction decision, Outcome outcome) {
        long at = layout.outcome(epoch, cpu, decision.number());
        long answer = OutcomeWord.of(decision.number(), epoch, outcome, at);
        answers[shape.place(decision.number())] = answer;
        out.storeRelease(at, answer);
        outgoing.touch();
    }

    void commit() {
        outgoing.commit();
    }

    boolean isKicked() {
        long sent = host.loadAcquire(layout.interrupt(epoch, cpu));
        if (sent == interruptSeen
                || options.interruptNanos() > 0 && System.nanoTime() - sent < options.interruptNanos()) {
            return false;
        }
        interruptSeen = sent;
        counters.interrupts++;
        return true;
    }

    boolean enterSleep() {
        long flag = layout.sleeping(epoch, cpu);
        out.storeRelease(flag, 1);
        out.writeFence();
        if (options.push()) { // the decision lies in host memory: only a read of the NIC pushes the flag there first
            in.invalidateLine(flag);
            in.loadAcquire(flag);
        }
        VarHandle.fullFence(); // partner: the full fence in WaveAgent.commit; one of the two sees the other's store
        Window window = slotWindow();
        window.invalidateLine(slot());
        long head = window.loadAcquire(slot());
        return SlotLine.number(head) == next && SlotLine.epoch(head) == epoch;
    }

    void leaveSleep() {
        out.storeRelease(layout.sleeping(epoch, cpu), 0);
        out.writeFence();
    }

    /** Repeats what a faulty link may have lost; what shares the host's window leaves with the host's next fence. */
    void tick(Window shared) {
        if (!options.prestage()) {
            out.storeRelease(layout.wanted(epoch, cpu), asked & 0xffff_ffffL);
        }
        for (int slot = 0; slot < answers.length; slot++) {
            out.storeRelease(layout.outcome(epoch, cpu, slot), answers[slot]);
        }
        if (out != shared) {
            out.writeFence();
        }
    }
}
