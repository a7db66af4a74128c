package dev.bascule.host.scx;

import dev.bascule.agent.Outcome;

/**
 * Changes of the kernel's counters since the last look. Each word may have any value, as every process that maps the memory can
 * write it: a change is a difference within bounds. One thread.
 */
final class KernelProgress {
    /** More than this between two looks, a millisecond apart, need not be told. */
    static final int MOST = 1024;
    private static final long COMPLETE = Layout.OUTCOMES + 8L * Outcome.COMPLETE.ordinal();

    private final KernelPage page;
    private long overflows;
    private long decisions;
    private long starved;

    KernelProgress(KernelPage page) {
        this.page = page;
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
}
