package dev.bascule.host;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;

/**
 * The last events of a live host: what ran where, what was decided, what crossed the link. Rings of numbers that are
 * allocated once; a record overwrites the oldest. A host without a trace pays one comparison with null per run.
 * <p>
 * Thread rule: {@link #ran} of a CPU by that CPU's thread, the others under the host's lock; {@link #read} when the host is
 * closed. Times are of {@link System#nanoTime}.
 */
public final class LiveTrace {
    /** Records kept for each CPU, and of each other kind. */
    public static final int RECORDS = 1 << 14;

    private static final Outcome[] OUTCOMES = Outcome.values();

    private final Ring[] runs;
    private final Ring decisions = new Ring();
    private final Ring samples = new Ring();
    private final Ring agents = new Ring();
    private boolean ready;

    /** What {@link #read} calls; oldest first within each method. */
    public interface Reader {
        /** A task was on a CPU. */
        void ran(int cpu, int task, long fromNanos, long nanos, boolean preempted);

        /** A decision, from observation (T1) to enforcement or refusal (T3). */
        void decided(int cpu, int task, Outcome outcome, long observedNanos, long settledNanos);

        /** What the host's end counted so far. */
        void crossed(long atNanos, long commits, long interrupts);

        /** An agent became ready, or was fenced. */
        void agent(long atNanos, boolean isReady);
    }

    private static final class Ring {
        private static final int WORDS = 3;
        private final long[] words = new long[RECORDS * WORDS];
        private long count;

        void add(long first, long second, long third) {
            int at = (int) (count++ & RECORDS - 1) * WORDS;
            words[at] = first;
            words[at + 1] = second;
            words[at + 2] = third;
        }

        long first() {
            return Math.max(0, count - RECORDS);
        }

        long word(long record, int word) {
            return words[(int) (record & RECORDS - 1) * WORDS + word];
        }
    }

    /** A trace of a host with so many CPUs; 400 kB a CPU and 1.2 MB. */
    public LiveTrace(int cpus) {
        runs = new Ring[cpus];
        java.util.Arrays.setAll(runs, cpu -> new Ring());
    }

    void ran(int cpu, int task, long fromNanos, long nanos, boolean preempted) {
        runs[cpu].add(fromNanos, nanos, (long) task << 1 | (preempted ? 1 : 0));
    }

    /** Every millisecond or so. */
    void sample(long now, boolean isReady, TransportCounters counters) {
        samples.add(now, counters.fences, counters.interrupts);
        if (isReady && !ready) {
            agents.add(now, 1, 0);
        }
        ready = isReady;
    }

    void fenced(long now) {
        agents.add(now, 0, 0);
        ready = false;
    }

    /** Notes every decision and passes it on. */
    public DecisionListener listening(DecisionListener next) {
        return (decision, outcome, enforcedNanos) -> {
            decided(decision, outcome, enforcedNanos);
            next.settled(decision, outcome, enforcedNanos);
        };
    }

    private synchronized void decided(Transaction decision, Outcome outcome, long settledNanos) {
        decisions.add(decision.observedNanos(), settledNanos,
                (long) decision.slotCpu() << 40 | (long) decision.task() << 8 | outcome.ordinal());
    }

    /** Records that were overwritten. */
    public long overwritten() {
        long all = decisions.first() + samples.first() + agents.first();
        for (Ring ring : runs) {
            all += ring.first();
        }
        return all;
    }

    /** Hands over what is kept. */
    public void read(Reader to) {
        for (int cpu = 0; cpu < runs.length; cpu++) {
            Ring ring = runs[cpu];
            for (long i = ring.first(); i < ring.count; i++) {
                to.ran(cpu, (int) (ring.word(i, 2) >>> 1), ring.word(i, 0), ring.word(i, 1),
                        (ring.word(i, 2) & 1) != 0);
            }
        }
        for (long i = decisions.first(); i < decisions.count; i++) {
            long what = decisions.word(i, 2);
            to.decided((int) (what >>> 40), (int) (what >>> 8), OUTCOMES[(int) what & 0xff], decisions.word(i, 0),
                    decisions.word(i, 1));
        }
        for (long i = samples.first(); i < samples.count; i++) {
            to.crossed(samples.word(i, 0), samples.word(i, 1), samples.word(i, 2));
        }
        for (long i = agents.first(); i < agents.count; i++) {
            to.agent(agents.word(i, 0), agents.word(i, 1) != 0);
        }
    }
}
