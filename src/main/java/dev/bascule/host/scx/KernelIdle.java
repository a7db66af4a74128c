package dev.bascule.host.scx;

import dev.bascule.ffi.BpfBell;
import dev.bascule.ring.IdleStrategy;
import java.lang.invoke.VarHandle;

/**
 * How an agent waits for the kernel's messages: it spins a little, then sleeps until the kernel rings. It shares its CPU
 * with those that it rules, perhaps, so it must not spin for long; and it wakes often enough to be seen alive.
 */
final class KernelIdle implements IdleStrategy {
    private static final long LONGEST_MILLIS = 5;

    private final KernelPage page;
    private final BpfBell bell;
    private final int spins;
    private int empty;
    private long seen;

    KernelIdle(KernelPage page, BpfBell bell, int spins) {
        this.page = page;
        this.bell = bell;
        this.spins = spins;
    }

    @Override
    public void idle(int workCount) {
        if (workCount > 0) {
            empty = 0;
        } else if (empty < spins) {
            empty++;
            Thread.onSpinWait();
        } else {
            sleep();
        }
        seen = page.get(Layout.POSTED); // before the next round looks for messages
    }

    private void sleep() {
        page.set(Layout.AGENT_SLEEPS, 1);
        VarHandle.fullFence(); // partner: the count of messages, which the kernel raises before it looks who sleeps
        if (page.get(Layout.POSTED) == seen) {
            bell.await(LONGEST_MILLIS);
        }
        page.set(Layout.AGENT_SLEEPS, 0);
    }
}
