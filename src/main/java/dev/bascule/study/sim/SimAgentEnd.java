package dev.bascule.study.sim;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.ForwardingAgentEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.Transaction;
import java.util.BitSet;

/**
 * An agent's end of any transport, which charges what the policy's own work costs and tells the engine what is new. It is
 * also the guard against a policy that never comes back: virtual time does not move while it runs, so its calls are
 * counted.
 */
class SimAgentEnd extends ForwardingAgentEnd {
    /** Calls in one round after which the policy is taken for one that loops for ever. */
    static final int MOST_CALLS = 4_000_000;

    final SimTime time;
    final SimCosts costs;
    private final SimSignals signals;
    private final SocketCosts sockets;
    private boolean measured;
    private final int[] staged;
    private int stagedCount;
    private final BitSet rung;
    private int calls;
    private boolean paysRound;
    private long decisions;

    SimAgentEnd(AgentEnd end, SimTime time, SimCosts costs, SimSignals signals) {
        super(end);
        this.time = time;
        this.costs = costs;
        this.signals = signals;
        sockets = new SocketCosts(end.shape().topology(), costs, time);
        rung = new BitSet(end.shape().cpus());
        staged = new int[end.shape().cpus() * end.shape().staged()];
    }

    /** The policy's time is measured by the engine: messages and decisions do not cost what the profile says as well. */
    final void measured() {
        measured = true;
    }

    /**
     * Lets everything happen that others do before this moment: for each access to what they write, and for each store.
     */
    final void reach() {
        signals.reach(time.nanoTime());
    }

    final void beginRound() {
        calls = 0;
        paysRound = !measured;
    }

    /** The first thing that a round does pays for its looking round. */
    private void pay(long nanos) {
        if (paysRound) {
            paysRound = false;
            time.charge(costs.agent().round());
        }
        if (!measured) {
            time.charge(nanos);
        }
    }

    final long decisions() {
        return decisions;
    }

    /** Decisions so far, which are then forgotten. */
    final long takeDecisions() {
        long taken = decisions;
        decisions = 0;
        return taken;
    }

    /** Counts a call with which a policy may loop; whoever answers one by itself counts it here. */
    final void guard() {
        if (++calls > MOST_CALLS) {
            throw new SimLivelock("agent " + end.agent() + ": " + MOST_CALLS
                    + " calls in one round and no end; the policy loops without consuming or waiting");
        }
    }

    @Override
    public boolean peek(Message into) {
        guard();
        reach();
        return end.peek(into);
    }

    @Override
    public void consume() {
        pay(costs.agent().message());
        end.consume();
    }

    @Override
    public int room(int cpu) {
        guard();
        reach();
        return end.room(cpu);
    }

    @Override
    public boolean stage(int cpu, Transaction transaction) {
        boolean runs = transaction.task() != Transaction.TARGET_NULL;
        long first = stagedCount == 0 ? costs.agent().commit() : 0;
        pay(runs ? costs.agent().decision() + first : costs.agent().unschedule());
        reach();
        if (!end.stage(cpu, transaction)) {
            return false;
        }
        decisions++;
        if (stagedCount < staged.length) {
            staged[stagedCount++] = cpu;
        }
        if ((transaction.commitFlags() & Transaction.AT_COMMIT) != 0) {
            interrupt(cpu);
        }
        return true;
    }

    /** Interrupts a CPU that may run another task, once a decision for it is staged. */
    void interrupt(int cpu) {
        time.charge(sendNanos(cpu));
        signals.kick(cpu, time.nanoTime() + interruptNanos(cpu) + sockets.interruptNanos(cpu));
    }

    /** Time of the agent that sending an interrupt takes. */
    long sendNanos(int cpu) {
        return costs.agent().interrupt();
    }

    /** Delivery of an interrupt: by message over the link, or between processors. */
    long interruptNanos(int cpu) {
        return costs.link().msix();
    }

    @Override
    public void commit() {
        long fences = end.counters().fences;
        reach();
        rung.clear();
        long written = visibleNanos();
        long looks = time.nanoTime(); // or later, as interrupts for other CPUs take their time: then this CPU is rung, too
        end.commit();
        long visible = isVisibleBeforeCommit() ? written : visibleNanos();
        for (int i = 0; i < stagedCount; i++) {
            signals.decisionVisible(staged[i], visible, hasLooked(fences) ? looks : SimSignals.NOT);
        }
        stagedCount = 0;
    }

    /** Decisions that are staged may be visible from then on, if it is not yet, though the commit is not over. */
    final void stagedVisible(long nanos) {
        for (int i = 0; i < stagedCount; i++) {
            if (!rung.get(staged[i])) {
                signals.decisionVisible(staged[i], nanos, SimSignals.NOT);
            }
        }
    }

    /** The commit under way has rung the CPU. */
    final void rang(int cpu) {
        rung.set(cpu);
    }

    /** When the host can see what has just been written. */
    long visibleNanos() {
        return time.nanoTime();
    }

    /** Whether a staged decision is there before its commit looks for CPUs that sleep; else the commit or a later call shows it. */
    boolean isVisibleBeforeCommit() {
        return true;
    }

    /** Whether it has looked for CPUs that sleep since so many fences were counted. */
    boolean hasLooked(long fencesBefore) {
        return true;
    }

    @Override
    public boolean withdraw(int cpu) {
        guard();
        reach();
        return end.withdraw(cpu);
    }

    @Override
    public final int outcomes(OutcomeSink sink) {
        return outcomes(0, end.shape().cpus(), sink);
    }

    @Override
    public int outcomes(int firstCpu, int cpus, OutcomeSink sink) {
        reach();
        return end.outcomes(firstCpu, cpus, sink);
    }
}
