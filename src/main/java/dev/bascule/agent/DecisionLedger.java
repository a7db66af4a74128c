package dev.bascule.agent;

import java.util.Arrays;

/**
 * Record of what one side believes it did: one entry per decision, kept apart from everything shared, so that the two
 * sides can be compared afterwards ({@link DecisionLedgerCheck}). Grows as needed; for tests and traced runs, not for
 * the hot path.
 * <p>
 * Thread rule: one writer; read after it has stopped.
 */
public final class DecisionLedger implements DecisionListener {
    /** Longs of one entry. */
    static final int ENTRY = 4;

    private long[] entries = new long[ENTRY * 1024];
    private int size;

    /** Logs one settled decision. */
    public void log(int cpu, int number, long identity, Outcome outcome, long nanos) {
        if ((size + 1) * ENTRY > entries.length) {
            entries = Arrays.copyOf(entries, entries.length * 2);
        }
        int at = size * ENTRY;
        entries[at] = (long) cpu << 32 | (number & 0xffff_ffffL);
        entries[at + 1] = identity;
        entries[at + 2] = outcome.ordinal();
        entries[at + 3] = nanos;
        size++;
    }

    @Override
    public void settled(Transaction decision, Outcome outcome, long enforcedNanos) {
        log(decision.slotCpu(), decision.number(), decision.identity(), outcome, enforcedNanos);
    }

    /** Number of entries. */
    public int size() {
        return size;
    }

    /** CPU of an entry. */
    int cpu(int entry) {
        return (int) (entries[entry * ENTRY] >>> 32);
    }

    /** Decision number of an entry. */
    public int number(int entry) {
        return (int) entries[entry * ENTRY];
    }

    /** Target identity (task, sequence number, epoch) of an entry. */
    long identity(int entry) {
        return entries[entry * ENTRY + 1];
    }

    /** Outcome of an entry. */
    public Outcome outcome(int entry) {
        Outcome outcome = Outcome.ofCode((int) entries[entry * ENTRY + 2]);
        return outcome == null ? Outcome.ABORTED : outcome;
    }
}
