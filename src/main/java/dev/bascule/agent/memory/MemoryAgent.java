package dev.bascule.agent.memory;

import dev.bascule.agent.TierPolicy;

/**
 * The agent's side: takes scans, asks the policy, sends its decisions, a message for a message. What the host sent is
 * checked; a batch that does not exist is not asked about. While the way back is full, nothing new is taken.
 * <p>
 * Thread rule: one thread. Allocates nothing after construction.
 */
public final class MemoryAgent {
    private static final int HEAL_AFTER = 512;

    private final int batches;
    private final TierPolicy policy;
    private final PageAgentEnd end;
    private final long[] in;
    private final long[] out = new long[1 + 2 * MemoryHost.ENTRIES];
    private int pending;
    private int idle;
    private long scans;
    private long decisions;
    private long refusals;
    private long invalid;
    private long alarms;

    /** @param batches as in the host's {@link MemoryOptions} */
    public MemoryAgent(int batches, TierPolicy policy, PageAgentEnd end) {
        this.batches = batches;
        this.policy = policy;
        this.end = end;
        in = new long[end.maxWords()];
    }

    /** Takes one message and answers it. Returns entries handled, 0 when there was nothing to do. */
    public int doWork() {
        if (pending > 0 && !flush()) {
            return 0;
        }
        int count = end.receive(in);
        if (count == 0) {
            if (++idle == HEAL_AFTER) {
                idle = 0;
                end.heal(); // what the link lost is repeated
            }
            return 0;
        }
        idle = 0;
        if (!MemoryFormat.isWhole(in, count)) {
            invalid++;
            return 1;
        }
        int entries = MemoryFormat.entries(in[0]);
        switch (MemoryFormat.kind(in[0])) {
            case MemoryFormat.SCANS -> decide(entries);
            case MemoryFormat.PERIOD -> alarms += in[2] > 0 && in[1] >= 0 && in[1] <= in[2]
                    && policy.observe((double) in[1] / in[2]) ? 1 : 0;
            case MemoryFormat.REFUSALS -> refusals += entries;
            default -> invalid++;
        }
        return entries;
    }

    private void decide(int entries) {
        if (entries > MemoryHost.ENTRIES) {
            invalid++;
            return;
        }
        int answers = 0;
        for (int i = 0; i < entries; i++) {
            long who = in[1 + 2 * i];
            int batch = MemoryFormat.high(who);
            if (batch < 0 || batch >= batches) {
                invalid++;
                continue;
            }
            int interval = policy.scanned(batch, Long.bitCount(in[2 + 2 * i]));
            out[1 + 2 * answers] = who;
            out[2 + 2 * answers] = MemoryFormat.pair(policy.isCold(batch) ? 1 : 0,
                    Math.clamp(interval, 1, MemoryFormat.MOST_INTERVAL));
            answers++;
        }
        scans += entries;
        if (answers > 0) {
            out[0] = MemoryFormat.head(MemoryFormat.DECISIONS, answers, MemoryFormat.period(in[0]));
            pending = answers;
            flush();
        }
    }

    private boolean flush() {
        boolean sent = end.send(out, 1 + 2 * pending);
        end.commit();
        if (!sent) {
            return false;
        }
        decisions += pending;
        pending = 0;
        return true;
    }

    /** Scans of batches received. */
    public long scans() {
        return scans;
    }

    /** Decisions it sent. */
    public long decisions() {
        return decisions;
    }

    /** Decisions the host said it refused. */
    public long refusals() {
        return refusals;
    }

    /** Messages and entries that could not be. */
    public long invalid() {
        return invalid;
    }

    /** Periods after which the policy's safeguard acted. */
    public long alarms() {
        return alarms;
    }
}
