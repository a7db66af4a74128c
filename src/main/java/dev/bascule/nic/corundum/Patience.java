package dev.bascule.nic.corundum;

/**
 * How long a card that is being stopped may take: 20 ms, as upstream's driver waits, and so many looks at it, since a
 * simulated card may be slow and its looks then are too.
 */
final class Patience {
    private static final int LOOKS = 1_000;
    private static final long NANOS = 20_000_000;

    private final long end = System.nanoTime() + NANOS;
    private int looks;

    /** Counts a look; false once the wait is in vain. */
    boolean lasts() {
        Thread.onSpinWait();
        return ++looks < LOOKS || System.nanoTime() - end < 0;
    }
}
