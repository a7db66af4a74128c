package dev.bascule.host.scx;

import dev.bascule.ffi.BpfBell;
import dev.bascule.ring.IdleStrategy;
import java.lang.invoke.VarHandle;

/**
 * How an agent waits for the kernel's messages: it spins a little, then sleeps until the kernel rings. It shares its CPU
 * with those that it rules, perhaps, so it must not spin in vain: a message that ends a sleep at once says that spinning
 * on would have been better, one that comes late that it was for nothing. And it wakes often enough to be seen alive.
 */
final class KernelIdle implements IdleStrategy {
    private static final long LONGEST_MILLIS = 5;
    private static final int LEAST_PART = 16;

    /** A sleep that is not worth its two switches. */
    private static final long SHORT_NANOS = 20_000;

    private final KernelPage page;
    private final BpfBell bell;
    private final int most;
    private final int least;
    private int spins;
    private int empty;
    private long seen;

    /** Spins for at most so many empty rounds, and for a sixteenth of that at least. */
    KernelIdle(KernelPage page, BpfBell bell, int most) {
        this.page = page;
        this.bell = bell;
        this.most = most;
        least = most / LEAST_PART;
        spins = most;
    }

    @Override
    public void idle(int workCount) {
        if (workCount > 0) {
            empty = 0;
        } else if (empty < spins) {
            empty++;
            Thread.onSpinWait();
        } else {
            learn(sleep());
        }
        seen = page.get(Layout.POSTED); // before the next round looks for messages
    }

    /** After a sleep of this length. */
    void learn(long sleptNanos) {
        spins = sleptNanos < SHORT_NANOS ? Math.min(most, 2 * spins + 1) : Math.max(least, spins / 2);
    }

    /** How long, ns. */
    private long sleep() {
        long start = System.nanoTime();
        page.setAgents(Layout.AGENTS_SLEEPS, 1);
        VarHandle.fullFence(); // partner: the count of messages, which the kernel raises before it looks who sleeps
        if (page.get(Layout.POSTED) == seen) {
            bell.await(LONGEST_MILLIS);
        }
        page.setAgents(Layout.AGENTS_SLEEPS, 0);
        return System.nanoTime() - start;
    }
}
