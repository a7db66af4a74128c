package dev.bascule.agent.memory;

/**
 * The host's side: scans the access bits of batches that are due, hands them to the agent, and puts its decisions into
 * force. A batch has a version, which rises with each scan, with each decision taken and when its pages change: what is
 * said of an older one is stale. A batch whose decision does not come is scanned again; an agent that says nothing for too long is
 * not waited for: then the host itself takes batches back that are touched, and demotes none. So it does while its safeguard
 * acts, for which it samples slow batches itself in each period.
 *
 * <pre>{@code
 * MemoryHost host = new MemoryHost(MemoryOptions.of(4096), pages, end);
 * host.beginPeriod();            // every scan period
 * while (host.doWork() > 0) {}   // whenever decisions may have come
 * }</pre>
 *
 * Thread rule: one thread. Allocates nothing after construction.
 */
public final class MemoryHost {
    /** Entries of one message; a longer scan is several. */
    static final int ENTRIES = 128;
    /** Scans of a batch are not further apart, whatever the agent asks: the safeguard sees touches only by scans. */
    static final int MOST_PERIODS = 32;

    private final MemoryOptions options;
    private final PageSource pages;
    private final TierActuator actuator;
    private final SlowSample sample = new SlowSample();
    private final int[] due;
    private final long[] out = new long[1 + 2 * ENTRIES];
    private final long[] refused = new long[1 + ENTRIES];
    private final long[] waiting;
    /** Version of the last scan. */
    private final int[] scanned;
    private final boolean[] ended = new boolean[ENTRIES];
    private final int[] together = new int[ENTRIES];
    private long[] in;
    private PageHostEnd end;
    private int period;
    private int lastDecision;
    private int refusals;
    private long slowBefore;
    private long allBefore;
    private long scans;
    private long struck;
    private long alonePeriods;

    /**
     * A host with everything in fast memory.
     *
     * @param end the way to the agent and back, for messages of 257 words
     * @throws IllegalArgumentException if it takes only shorter messages
     */
    public MemoryHost(MemoryOptions options, PageSource pages, PageHostEnd end) {
        this.options = options;
        this.pages = pages;
        this.end = check(end);
        in = new long[end.maxWords()];
        actuator = new TierActuator(options, pages);
        due = new int[options.batches()];
        waiting = new long[options.batches()];
        scanned = new int[options.batches()];
        end.askBefore(this::keep);
    }

    private PageHostEnd check(PageHostEnd way) {
        if (way.maxWords() < out.length) {
            throw new IllegalArgumentException("memory agent: its link takes messages of " + way.maxWords()
                    + " words, " + out.length + " are needed; make its memory larger");
        }
        return way;
    }

    /** A new agent with an end of its own: it is sent all that the old one knew. Tiers stay. */
    public void attach(PageHostEnd newEnd) {
        end = check(newEnd);
        end.askBefore(this::keep);
        in = new long[newEnd.maxWords()];
        java.util.Arrays.fill(due, period);
        lastDecision = period;
        refusals = 0;
    }

    /** The next scan period: safeguards, then scans of all batches that are due. Returns how many. */
    public int beginPeriod() {
        period++;
        long slow = pages.slowAccesses();
        long all = pages.accesses();
        double seen = all == allBefore ? 0 : (double) (slow - slowBefore) / (all - allBefore);
        if (actuator.beginPeriod(Math.max(seen, sample.share(all - allBefore)), period)) {
            sample.clear();
        }
        sample.beginPeriod(period);
        out[0] = MemoryFormat.head(MemoryFormat.PERIOD, 1, period);
        out[1] = slow - slowBefore;
        out[2] = all - allBefore;
        slowBefore = slow;
        allBefore = all;
        end.send(out, 3);
        boolean alone = isAlone();
        alonePeriods += alone ? 1 : 0;
        int count = scan(alone);
        end.commit();
        end.heal(); // once a period: what the link lost is repeated
        return count;
    }

    /** Whether the agent has been silent for so long that the host goes on without it. */
    public boolean isAlone() {
        return period - lastDecision > options.silentPeriods();
    }

    private int scan(boolean alone) {
        boolean isGuarding = alone || actuator.isHolding();
        int entries = 0;
        int count = 0;
        for (int batch = 0; batch < due.length; batch++) {
            if (!isDue(batch, isGuarding) || !pages.isThere(batch)) {
                continue;
            }
            due[batch] = period + options.expiryPeriods() + 1; // a decision says when; without one, then
            long bits = take(batch) | waiting[batch];
            if (isGuarding && bits != 0) {
                actuator.promote(batch, period);
            }
            actuator.changed(batch); // what is under way of a former scan is worth nothing
            scanned[batch] = actuator.version(batch);
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

    /** A batch in slow memory is not scanned at the agent's wish alone. */
    private boolean isDue(int batch, boolean isGuarding) {
        return due[batch] - period <= 0
                || actuator.isSlow(batch) && (isGuarding || isWantedBack(batch)
                        || !pages.isCounted() && sample.isDue(batch, period));
    }

    private long take(int batch) {
        long before = pages.slowAccesses();
        long bits = pages.takeAccessed(batch);
        if (!pages.isCounted() && sample.isMeasured(batch, period)) {
            sample.add(pages.slowAccesses() - before, period);
        }
        return bits;
    }

    /** In use again in slow memory, and no scan of it is under way. */
    private boolean isWantedBack(int batch) {
        return actuator.version(batch) != scanned[batch] && pages.isKnownAccessed(batch);
    }

    private void send(int entries) {
        if (entries > 0) {
            out[0] = MemoryFormat.head(MemoryFormat.SCANS, entries, period);
            end.send(out, 1 + 2 * entries); // no room: scanned again when due
        }
    }

    /** Strikes batches whose version has risen from a message of scans. */
    private int keep(long[] words, int count) {
        if (MemoryFormat.kind(words[0]) != MemoryFormat.SCANS) {
            return count;
        }
        int kept = 0;
        for (int i = 0; i < MemoryFormat.entries(words[0]); i++) {
            long who = words[1 + 2 * i];
            if (actuator.version(MemoryFormat.high(who)) == MemoryFormat.low(who)) {
                words[1 + 2 * kept] = who;
                words[2 + 2 * kept++] = words[2 + 2 * i];
            } else {
                scanSoon(MemoryFormat.high(who));
            }
        }
        struck += MemoryFormat.entries(words[0]) - kept;
        words[0] = MemoryFormat.head(MemoryFormat.SCANS, kept, MemoryFormat.period(words[0]));
        return kept == 0 ? 0 : 1 + 2 * kept;
    }

    /** Takes the agent's decisions that have arrived, one message. Returns entries taken, 0 when there was nothing. */
    public int doWork() {
        int count = end.peek(in);
        if (count == 0) {
            return 0;
        }
        boolean isWhole = MemoryFormat.kind(in[0]) == MemoryFormat.DECISIONS && MemoryFormat.isWhole(in, count)
                && MemoryFormat.entries(in[0]) <= ENTRIES;
        int entries = isWhole ? MemoryFormat.entries(in[0]) : 0;
        for (int i = 0; i < entries; i++) {
            ended[i] = isPossible(in[1 + 2 * i], in[2 + 2 * i])
                    && actuator.hasEnded(MemoryFormat.high(in[1 + 2 * i]), MemoryFormat.low(in[1 + 2 * i]),
                            MemoryFormat.high(in[2 + 2 * i]) == 1);
        }
        if (!end.take()) {
            return 0; // it stayed the agent's
        }
        if (!isWhole) {
            actuator.refuse();
            return 1;
        }
        lastDecision = period;
        moveTogether(entries, false, MemoryFormat.period(in[0]));
        moveTogether(entries, true, MemoryFormat.period(in[0]));
        for (int i = 0; i < entries; i++) {
            decide(in[1 + 2 * i], in[2 + 2 * i], ended[i], MemoryFormat.period(in[0]));
        }
        tellRefusals();
        return entries;
    }

    private void moveTogether(int entries, boolean toSlow, int observedPeriod) {
        int count = 0;
        int before = 0;
        for (int i = 0; i < entries; i++) {
            long who = in[1 + 2 * i];
            long what = in[2 + 2 * i];
            int batch = MemoryFormat.high(who);
            if (isPossible(who, what) && MemoryFormat.high(what) == 1 == toSlow
                    && actuator.isToMove(batch, ended[i] || actuator.version(batch) != MemoryFormat.low(who),
                            observedPeriod, toSlow, period, before)) {
                together[count++] = batch;
                before += pages.isEmpty(batch) ? 0 : 1;
            }
        }
        pages.moveSoon(together, count, toSlow);
    }

    private boolean isPossible(long who, long what) {
        int batch = MemoryFormat.high(who);
        int tier = MemoryFormat.high(what);
        int interval = MemoryFormat.low(what);
        return batch >= 0 && batch < due.length && interval >= 1 && interval <= MemoryFormat.MOST_INTERVAL && tier >= 0
                && tier <= 1;
    }

    private void decide(long who, long what, boolean hasEnded, int observedPeriod) {
        if (!isPossible(who, what)) {
            actuator.refuse();
            return;
        }
        int batch = MemoryFormat.high(who);
        int interval = MemoryFormat.low(what);
        boolean isLive = actuator.version(batch) == MemoryFormat.low(who);
        MemoryOutcome outcome = actuator.apply(batch, hasEnded || !isLive, observedPeriod,
                MemoryFormat.high(what) == 1, period);
        boolean isLate = outcome == MemoryOutcome.STALE || outcome == MemoryOutcome.EXPIRED;
        if (outcome != MemoryOutcome.COMPLETE && refusals < ENTRIES) {
            refused[1 + refusals++] = MemoryFormat.pair(batch, outcome.ordinal());
        }
        if (!isLive) {
            scanSoon(batch);
            return;
        }
        actuator.changed(batch); // taken: never again
        due[batch] = isLate
                ? period + 1
                : (outcome == MemoryOutcome.COMPLETE ? observedPeriod : period)
                        + Math.min(interval, MOST_PERIODS);
        waiting[batch] = isLate ? waiting[batch] : 0;
    }

    /** In the next period, unless a newer scan is under way. */
    private void scanSoon(int batch) {
        if (actuator.version(batch) != scanned[batch] && due[batch] - period > 1) {
            due[batch] = period + 1;
        }
    }

    private void tellRefusals() {
        if (refusals > 0) {
            refused[0] = MemoryFormat.head(MemoryFormat.REFUSALS, refusals, period);
            end.send(refused, 1 + refusals);
            end.commit();
            refusals = 0;
        }
    }

    /** The pages of a batch are others now: decisions about it that are under way will be refused, and it is scanned again. */
    public void changed(int batch) {
        actuator.changed(batch);
        scanSoon(batch);
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

    /** Account of all decisions. */
    public MemoryLedger ledger() {
        return actuator.ledger();
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

    /** Batches struck from messages before they changed hands. */
    public long struck() {
        return struck;
    }

    /** Periods in which the host went on without its agent. */
    public long alonePeriods() {
        return alonePeriods;
    }
}
