package dev.bascule.agent.memory;

import java.util.Arrays;

/**
 * Puts decisions into force, one by one as transactions on a batch's version, and guards against bad ones whatever the
 * agent does (SOL, ASPLOS'22: the actuator has safeguards of its own). Not more than a number of demotions in a period;
 * and when too many accesses go to slow memory, the latest demotions are taken back and none is allowed for a while.
 * <p>
 * Thread rule: one thread. Allocates nothing after construction.
 */
final class TierActuator {
    private final MemoryOptions options;
    private final PageSource pages;
    private final boolean[] slow;
    private final int[] version;
    private final int[] demoted;
    private final int[] demotedAt;
    private final long[] outcomes = new long[MemoryOutcome.values().length];
    private int slowBatches;
    private int head;
    private int tail;
    private int movesLeft;
    private int hold;
    private long alarms;
    private long moves;

    TierActuator(MemoryOptions options, PageSource pages) {
        this.options = options;
        this.pages = pages;
        slow = new boolean[options.batches()];
        version = new int[options.batches()];
        int ring = Integer.highestOneBit(options.batches()) << 1;
        demoted = new int[ring];
        demotedAt = new int[ring];
        movesLeft = options.mostMoves();
    }

    int version(int batch) {
        return version[batch];
    }

    boolean isSlow(int batch) {
        return slow[batch];
    }

    int slowBatches() {
        return slowBatches;
    }

    /** The batch is another one now: what was observed of it is worth nothing. */
    void changed(int batch) {
        version[batch]++;
    }

    /** Whether an observation is one of pages that have changed since, as far as that matters to a decision. */
    boolean hasEnded(int batch, int observedVersion, boolean toSlow) {
        boolean isDemotion = toSlow && !slow[batch] && hold == 0 && mayMove(batch); // else the pages are let alone
        return version[batch] != observedVersion || isDemotion && !pages.isUnchanged(batch);
    }

    /** One decision. */
    MemoryOutcome apply(int batch, boolean hasEnded, int observedPeriod, boolean toSlow, int period) {
        MemoryOutcome outcome = judge(batch, hasEnded, observedPeriod, toSlow, period);
        if (outcome == MemoryOutcome.COMPLETE && slow[batch] != toSlow && !move(batch, toSlow, period)) {
            outcome = MemoryOutcome.REFUSED;
        }
        outcomes[outcome.ordinal()]++;
        return outcome;
    }

    /** Whether a decision will be carried out as a move, after {@code before} others that count. */
    boolean isToMove(int batch, boolean hasEnded, int observedPeriod, boolean toSlow, int period, int before) {
        return toSlow != slow[batch] && (!toSlow || before < movesLeft || pages.isEmpty(batch))
                && judge(batch, hasEnded, observedPeriod, toSlow, period) == MemoryOutcome.COMPLETE;
    }

    private MemoryOutcome judge(int batch, boolean hasEnded, int observedPeriod, boolean toSlow, int period) {
        if (period - observedPeriod < 0 || period - observedPeriod > options.expiryPeriods()) {
            return MemoryOutcome.EXPIRED;
        }
        if (hasEnded) {
            return MemoryOutcome.STALE;
        }
        if (!toSlow || slow[batch]) {
            return MemoryOutcome.COMPLETE; // to fast memory is always safe
        }
        if (hold > 0) {
            return MemoryOutcome.HELD;
        }
        return mayMove(batch) ? MemoryOutcome.COMPLETE : MemoryOutcome.LIMITED;
    }

    /** Whether the safeguard acted lately, so that nothing is demoted. */
    boolean isHolding() {
        return hold > 0;
    }

    private boolean mayMove(int batch) {
        return movesLeft > 0 || pages.isEmpty(batch);
    }

    void refuse() {
        outcomes[MemoryOutcome.INVALID.ordinal()]++;
    }

    /** Takes a slow batch back without the agent. */
    void promote(int batch, int period) {
        if (slow[batch]) {
            move(batch, false, period);
            version[batch]++;
        }
    }

    /** Another batch takes this one's number; it begins in fast memory. */
    void replaced(int batch) {
        version[batch]++;
        slowBatches -= slow[batch] ? 1 : 0;
        slow[batch] = false;
    }

    private boolean move(int batch, boolean toSlow, int period) {
        if (!pages.move(batch, toSlow)) {
            return false;
        }
        slow[batch] = toSlow;
        slowBatches += toSlow ? 1 : -1;
        moves++;
        if (toSlow) {
            movesLeft -= pages.isEmpty(batch) ? 0 : 1;
            if (tail - head == demoted.length) {
                head++; // the oldest demotion has long proved itself
            }
            demoted[tail & demoted.length - 1] = batch;
            demotedAt[tail++ & demoted.length - 1] = period;
        }
        return true;
    }

    /** A period begins. Returns whether the safeguard acted on what the last one did. */
    boolean beginPeriod(double slowShare, int period) {
        movesLeft = options.mostMoves();
        while (head != tail && period - demotedAt[head & demoted.length - 1] > options.holdPeriods()) {
            head++;
        }
        if (slowShare <= options.mostSlowShare()) {
            hold = Math.max(0, hold - 1);
            return false;
        }
        alarms++;
        hold = options.holdPeriods();
        while (head != tail) {
            promote(demoted[head++ & demoted.length - 1], period);
        }
        return true;
    }

    long outcomes(MemoryOutcome outcome) {
        return outcomes[outcome.ordinal()];
    }

    MemoryLedger ledger() {
        long decided = 0;
        for (long count : outcomes) {
            decided += count;
        }
        long inForce = outcomes(MemoryOutcome.COMPLETE);
        long stale = outcomes(MemoryOutcome.STALE) + outcomes(MemoryOutcome.EXPIRED);
        return new MemoryLedger(decided, inForce, stale, decided - inForce - stale);
    }

    long alarms() {
        return alarms;
    }

    long moves() {
        return moves;
    }

    boolean[] tiers() {
        return Arrays.copyOf(slow, slow.length);
    }
}
