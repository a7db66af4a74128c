package dev.bascule.host.scx;

import dev.bascule.agent.Outcome;
import dev.bascule.ffi.WatchedTime;

/**
 * Changes of the kernel's counters since the last look. Each word may have any value, as every process that maps the memory can
 * write it: a change is a difference within bounds. One thread.
 */
final class KernelProgress {
    /** More than this between two looks, a millisecond apart, need not be told. */
    static final int MOST = 1024;
    private static final int LOOKS_PER_LIMIT = 4;
    private static final int OUTCOMES = Outcome.values().length;
    private static final long COMPLETE = Layout.OUTCOMES + 8L * Outcome.COMPLETE.ordinal();

    private final KernelPage page;
    private final WatchedTime time;
    private long overflows;
    private long decisions;
    private long starved;
    private long answers;
    private long late;
    private long lastAnswerNanos;

    /**
     * The counters on this page.
     *
     * @param limitNanos hard limit of the agent, of which a look that comes late counts a fourth at most
     */
    KernelProgress(KernelPage page, long limitNanos) {
        this.page = page;
        time = new WatchedTime(Math.max(1, limitNanos / LOOKS_PER_LIMIT));
    }

    /** Decisions that are in force and were not at the last look, from 0 to {@link #MOST}. */
    int decisions() {
        long before = decisions;
        decisions = page.get(COMPLETE);
        return (int) Math.clamp(decisions - before, 0, MOST);
    }

    /** Whether messages have found a full channel. */
    boolean hasOverflowed() {
        long before = overflows;
        overflows = page.get(Layout.OVERFLOWS);
        return overflows != before;
    }

    /** Threads that the kernel's side ran as they had starved; 0 also if the word went back. */
    long starved() {
        long before = starved;
        starved = page.get(Layout.STARVED);
        return Math.max(0, starved - before);
    }

    /**
     * Time for which the agent has decided nothing, rightly or wrongly, ns, if the kernel's side decided for it since the last
     * look; else 0.
     *
     * @param isReady whether there is an agent that can decide
     */
    long unansweredNanos(long nowNanos, boolean isReady) {
        long seen = time.at(nowNanos);
        long before = answers;
        answers = 0;
        for (int i = 0; i < OUTCOMES; i++) {
            answers += page.get(Layout.OUTCOMES + 8L * i);
        }
        long lateBefore = late;
        late = page.get(Layout.LATE);
        if (!isReady || answers != before) {
            lastAnswerNanos = seen;
        }
        return late == lateBefore ? 0 : seen - lastAnswerNanos;
    }
}
