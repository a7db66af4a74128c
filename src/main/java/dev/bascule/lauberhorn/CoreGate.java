package dev.bascule.lauberhorn;

import dev.bascule.memory.Window;

/**
 * Gate of a core, which says who has it: the kernel grants it to a thread, the thread gives it back, and the kernel may
 * ask for it. It stands for what a context switch and an interrupt do on hardware. Grants are numbered; a grant is in
 * force from the kernel's store of its number until the thread stores the same number.
 *
 * <pre>
 * line 0, of the kernel   grant number 48, core 16 | number of the grant that is asked back
 * line 1, of the thread   number of the newest grant that it gave back
 * </pre>
 *
 * Thread rule: {@link #grant} and {@link #ask} by the kernel of the core, the others as said. No object is shared.
 */
public final class CoreGate {
    /** Bytes of a gate. */
    public static final int BYTES = 2 * Window.LINE_BYTES;

    private static final long ASKED = 8;
    private static final long RETURNED = Window.LINE_BYTES;

    private final Window window;
    private final long base;

    /** A gate at {@code base} of the window. */
    public CoreGate(Window window, long base) {
        this.window = window;
        this.base = base;
    }

    /** The kernel lets the thread run; returns the number of the grant. */
    public long grant(int core) {
        long number = (window.loadAcquire(base) >>> 16) + 1;
        window.storeRelease(base, number << 16 | core); // partner: granted
        return number;
    }

    /** The kernel wants the core back. */
    public void ask(long number) {
        window.storeRelease(base + ASKED, number);
    }

    /** Number of the newest grant. Any thread. */
    public long granted() {
        return window.loadAcquire(base) >>> 16;
    }

    /** Core of the newest grant. Any thread. */
    public int core() {
        return (int) window.loadAcquire(base) & 0xffff;
    }

    /** Whether the kernel wants this grant back: the thread asks at its yield points. */
    public boolean isAsked(long number) {
        return window.loadAcquire(base + ASKED) == number;
    }

    /** The thread gives the core back. */
    public void giveBack(long number) {
        window.storeRelease(base + RETURNED, number); // partner: isBack
    }

    /** Whether the core is the kernel's again. */
    public boolean isBack(long number) {
        return window.loadAcquire(base + RETURNED) == number;
    }

    /** Number of the newest grant that was given back. Any thread. */
    public long returned() {
        return window.loadAcquire(base + RETURNED);
    }
}
