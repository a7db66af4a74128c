package dev.bascule.nic.corundum;

import dev.bascule.ffi.Patience;
import dev.bascule.ring.Clock;

/**
 * Limit for a card that is being stopped: 20 ms of its time, as upstream's driver waits, and so many looks at it,
 * since a simulated card without a clock of its own may be slow, and its looks then are too.
 */
final class StopLimit {
    private static final int LOOKS = 1_000;
    private static final long NANOS = 20_000_000;

    private final Patience time;
    private int looks;

    StopLimit(Clock clock) {
        time = new Patience(NANOS, clock::nanoTime, () -> 0);
    }

    /** Counts a look; false once the wait is in vain. */
    boolean lasts() {
        Thread.onSpinWait();
        return ++looks < LOOKS || !time.isOver();
    }
}
