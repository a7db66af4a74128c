package dev.bascule.wave.memory;

import dev.bascule.wave.BulkReceiver;
import dev.bascule.wave.BulkSender;

/**
 * The host's side: scans the access bits of batches that are due, sends them as bulk messages, and puts the agent's
 * decisions into force. A batch whose decision does not come is scanned again; an agent that says nothing for too long is
 * not waited for: then the host itself takes batches back that are touched, and demotes none.
 *
 * <pre>{@code
 * MemoryHost host = new MemoryHost(MemoryOptions.of(4096), pages, sender, receiver);
 * host.beginPeriod();            // every scan period
 * while (host.doWork() > 0) {}   // whenever decisions may have come
 * }</pre>
 *
 * Thread rule: one thread. Allocates nothing after construction.
 */
public final class MemoryHost {
    /** Entries of one message; a longer scan is several. */
    static final int ENTRIES = 128;

    private final MemoryOptions options;
    private final PageSource pages;
    private final TierActuator actuator;
    private final int[] due;
    private final long[] out = new long[1 + 2 * ENTRIES];
    private final long[] refused = new long[1 + ENTRIES];
    private final long[] waiting;
    private long[] in;
    private BulkSender sender;
    private BulkReceiver receiver;
    private int period;
    private int lastDecision;
    private int refusals;
    private long slowBefore;
    private long allBefore;
    private long scans;
    private long unsent;
    private long alonePeriods;

    /**
     * A host with everything in fast memory.
     *
     * @param sender end of a bulk queue to the agent, for messages of 257 words
     * @param receiver end of a bulk queue from the agent
     * @throws IllegalArgumentException if the queue takes only shorter messages
     */
    public MemoryHost(MemoryOptions options, PageSource pages, BulkSender sender, BulkReceiver receiver) {
        this.options = options;
        this.pages = pages;
        this.sender = check(sender);
        this.receiver = receiver;
        in = new long[receiver.maxWords()];
        actuator = new TierActuator(options, pages);
        due = new int[options.batches()];
        waiting = new long[options.batches()];
    }

    private BulkSender check(BulkSender queue) {
        if (queue.maxWords() < out.length) {
            throw new IllegalArgumentException("memory agent: the queue takes messages of " + queue.maxWords()
                    + " words, " + out.length + " are needed; make its payload ring larger");
        }
        return queue;
    }

    /** A new agent with new queues: it is sent all that the old one knew. Tiers stay. */
    public void attach(BulkSender newSender, BulkReceiver newReceiver) {
        sender = check(newSender);
        receiver = newReceiver;
        in = new long[newReceiver.maxWords()];
        java.util.Arrays.fill(due, period);
        lastDecision = period;
        refusals = 0;
    }

    /** The next scan period: safeguards, then scans of all batches that are due. Returns how many. */
    public int beginPeriod() {
        period++;
        long slow = pages.slowAccesses();
        long all = pages.accesses();
        double share = all == allBefore ? 0 : (double) (slow - slowBefore) / (all - allBefore);
        actuator.beginPeriod(share, period);
        out[0] = MemoryFormat.head(MemoryFormat.PERIOD, 1, period);
        out[1] = slow - slowBefore;
        out[2] = all - allBefore;
        slowBefore = slow;
        allBefore = all;
        unsent += sender.send(out, 0, 3) ? 0 : 1;
        boolean alone = isAlone();
        alonePeriods += alone ? 1 : 0;
        int count = scan(alone);
        sender.commit();
        sender.heal(); // once a period: what the link lost is repeated
        return count;
    }

    /** Whether the agent has been silent for so long that the host goes on without it. */
    public boolean isAlone() {
        return period - lastDecision > options.silentPeriods();
    }

    private int scan(boolean alone) {
        int entries = 0;
        int count = 0;
        for (int batch = 0; batch < due.length; batch++) {
            if (due[batch] - period > 0 || !pages.isThere(batch)) {
                continue;
            }
            due[batch] = period + options.expiryPeriods() + 1; // a decision says when; without one, then
            long bits = pages.takeAccessed(batch) | waiting[batch];
            if (alone && bits != 0) {
                actuator.promote(batch, period);
            }
            waiting[batch] = bits; // until a decision shows that they have arrived
            out[1 + 2 * entries] = MemoryFormat.pair(batch, actuator.version(batch));
            out[2 + 2 * entries] = bits;
            count++;
            if (++entries == ENTRIES) {
                send(entries);
                entries = 0;
            }
        }
        send(entries);
        scans += count;
        return count;
    }

    private void send(int entries) {
        if (entries > 0) {
            out[0] = MemoryFormat.head(MemoryFormat.SCANS, entries, period);
            unsent += sender.send(out, 0, 1 + 2 * entries) ? 0 : 1; // a full queue: scanned again when due
        }
    }

    /** Takes the agent's decisions that have arrived, one message. Returns entries taken, 0 when there was nothing. */
    public int doWork() {
        int count = receiver.receive(in);
        if (count == 0) {
            return 0;
        }
        if (MemoryFormat.kind(in[0]) != MemoryFormat.DECISIONS || !MemoryFormat.isWhole(in, count)) {
            actuator.refuse();
            return 1;
        }
        lastDecision = period;
        int entries = MemoryFormat.entries(in[0]);
        for (int i = 0; i < entries; i++) {
            decide(in[1 + 2 * i], in[2 + 2 * i], MemoryFormat.period(in[0]));
        }
        tellRefusals();
        return entries;
    }

    private void decide(long who, long what, int observedPeriod) {
        int batch = MemoryFormat.high(who);
        int interval = MemoryFormat.low(what);
        int tier = MemoryFormat.high(what);
        if (batch < 0 || batch >= due.length || interval < 1 || interval > MemoryFormat.MOST_INTERVAL || tier < 0
                || tier > 1) {
            actuator.refuse();
            return;
        }
        MemoryOutcome outcome = actuator.apply(batch, MemoryFormat.low(who), observedPeriod, tier == 1, period);
        if (outcome != MemoryOutcome.COMPLETE) {
            if (refusals < ENTRIES) {
                refused[1 + refusals++] = MemoryFormat.pair(batch, outcome.ordinal());
            }
            due[batch] = outcome == MemoryOutcome.STALE || outcome == MemoryOutcome.EXPIRED
                    ? period + 1
                    : period + interval;
            waiting[batch] = outcome == MemoryOutcome.STALE || outcome == MemoryOutcome.EXPIRED ? waiting[batch] : 0;
        } else {
            due[batch] = observedPeriod + interval;
            waiting[batch] = 0;
        }
    }

    private void tellRefusals() {
        if (refusals > 0) {
            refused[0] = MemoryFormat.head(MemoryFormat.REFUSALS, refusals, period);
            unsent += sender.send(refused, 0, 1 + refusals) ? 0 : 1;
            sender.commit();
            refusals = 0;
        }
    }

    /** The pages of a batch are others now: decisions about it that are under way will be refused. */
    public void changed(int batch) {
        actuator.changed(batch);
    }

    /** Another batch takes this one's number: it is in fast memory, and is scanned with the next period. */
    public void replaced(int batch) {
        actuator.replaced(batch);
        due[batch] = period;
        waiting[batch] = 0;
    }

    /** Periods begun. */
    public int period() {
        return period;
    }

    /** Batches in slow memory now. */
    public int slowBatches() {
        return actuator.slowBatches();
    }

    /** Whether a batch lies in slow memory. */
    public boolean isSlow(int batch) {
        return actuator.isSlow(batch);
    }

    /** The tier of every batch, a copy: true for slow. */
    public boolean[] tiers() {
        return actuator.tiers();
    }

    /** Decisions that ended so. */
    public long outcomes(MemoryOutcome outcome) {
        return actuator.outcomes(outcome);
    }

    /** Batches scanned. */
    public long scans() {
        return scans;
    }

    /** Batches moved, in either direction. */
    public long moves() {
        return actuator.moves();
    }

    /** Periods after which the safeguard acted. */
    public long alarms() {
        return actuator.alarms();
    }

    /** Messages for which the queue had no room. */
    public long unsent() {
        return unsent;
    }

    /** Periods in which the host went on without its agent. */
    public long alonePeriods() {
        return alonePeriods;
    }
}
