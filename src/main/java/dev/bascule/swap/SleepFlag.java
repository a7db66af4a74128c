package dev.bascule.swap;

import java.lang.invoke.VarHandle;

/**
 * Whether a reader of lines sleeps and wants to be woken. A reader announces, looks at its line once more, and only
 * then parks; a writer writes its line and then asks. The full fence on both sides makes sure that one of them sees the
 * other; what wakes (an MSI-X, an eventfd) is a hint, and a sleeper also looks at a bounded interval.
 * <p>
 * Thread rule: one reader announces and withdraws; any writer asks.
 */
public final class SleepFlag {
    private volatile boolean sleeping;

    /** Reader: from now on writers will wake. Look at the line again before parking. */
    public void announce() {
        sleeping = true;
        VarHandle.fullFence(); // partner: the fence in sleeping()
    }

    /** Reader: awake. */
    public void awake() {
        sleeping = false;
    }

    /** Writer, after its line is written: whether to wake the reader. */
    public boolean sleeping() {
        VarHandle.fullFence(); // partner: the fence in announce()
        return sleeping;
    }
}
