package dev.bascule.agent.region;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.Transaction;

/**
 * An agent's end of one CPU where each decision has a slot that the host takes it from: numbers the decisions, from 1 on,
 * and keeps those whose outcome is open. Outcomes come in order.
 */
public final class StagedPort implements AgentPort {
    private final int cpu;
    private final int capacity;
    private final int mask;
    private final int kept;
    private final DecisionSlots slots;
    private final long[] decisions;
    private final long[] words = new long[Message.WORDS];
    private int staged;
    private int settled;
    private int told;
    private long withdrawn;

    /**
     * Nothing is staged.
     *
     * @param kept words of a decision that {@code slots} get again to repeat or withdraw it: all six, or only the first,
     *        its identity
     */
    public StagedPort(int cpu, EnclaveShape shape, DecisionSlots slots, int kept) {
        this.cpu = cpu;
        capacity = shape.staged();
        mask = shape.places() - 1;
        this.slots = slots;
        this.kept = kept;
        decisions = new long[shape.places() * kept];
    }

    @Override
    public int room() {
        int free = capacity - (staged - settled);
        return free == 0 ? 0 : slots.room(free, staged + 1);
    }

    @Override
    public boolean stage(Transaction decision) {
        if (room() == 0) {
            return false;
        }
        int number = ++staged;
        withdrawn &= ~bit(number);
        decision.slot(cpu, number, 0);
        keep(index(number), decision.words());
        slots.write(number, decision.words(), false);
        if ((decision.commitFlags() & Transaction.AT_COMMIT) != 0) {
            slots.interrupt();
        }
        return true;
    }

    /** Word by word: a wide load of words that were stored one by one just now waits for all of them. */
    private void keep(int index, long[] from) {
        for (int i = 0; i < kept; i++) {
            decisions[index + i] = from[i];
        }
    }

    private int index(int number) {
        return (number & mask) * kept;
    }

    /** A mark for each place: a decision staged later leaves the marks of those before it. */
    private long bit(int number) {
        return 1L << (number & mask);
    }

    private boolean isWithdrawn(int number) {
        return (withdrawn & bit(number)) != 0;
    }

    private long[] words(int number) {
        System.arraycopy(decisions, index(number), words, 0, kept);
        return words;
    }

    @Override
    public void commit() {
        slots.wake();
    }

    @Override
    public boolean withdraw() {
        if (staged == settled || isWithdrawn(staged) || !slots.withdraw(staged, words(staged))) {
            return false;
        }
        withdrawn |= bit(staged);
        return true;
    }

    @Override
    public void told(int mark) {
        told = ToldOutcomes.advance(told, mark);
    }

    /** Outcomes: those that messages told of first, which needs no look at the memory. */
    @Override
    public int outcomes(OutcomeSink sink) {
        int count = 0;
        while (settled != staged && told - settled > 0) {
            settle(sink, Outcome.COMPLETE);
            count++;
        }
        while (settled != staged && settleNext(sink)) {
            count++;
        }
        return count;
    }

    private boolean settleNext(OutcomeSink sink) {
        Outcome outcome = slots.outcome(settled + 1, isWithdrawn(settled + 1));
        if (outcome == null) {
            return false;
        }
        settle(sink, outcome);
        return true;
    }

    private void settle(OutcomeSink sink, Outcome outcome) {
        settled++;
        sink.settled(cpu, settled, decisions[index(settled)], outcome);
    }

    @Override
    public void repeat() {
        for (int number = settled + 1; number - staged <= 0; number++) {
            slots.write(number, words(number), isWithdrawn(number));
        }
    }
}
