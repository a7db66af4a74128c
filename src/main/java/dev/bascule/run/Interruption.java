package dev.bascule.run;

import dev.bascule.ffi.Patience;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Ctrl-C or SIGTERM while a command runs: tells it to end, waits until it has said what it found and closed all that it
 * has open, and lets its exit status pass if that is not 0; else the process ends with that of the signal.
 */
public final class Interruption implements AutoCloseable {
    private static final int SUMMARY_SECONDS = 5;
    /** Down while no command runs that {@link #during} knows of. */
    private static volatile CountDownLatch returned = new CountDownLatch(0);

    private final Runnable toEnd;
    private final int seconds;
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupt, "bascule-interrupt");
    private volatile int status;

    /** @param toEnd lets the command come to its end; called by another thread */
    public Interruption(Runnable toEnd) {
        this(toEnd, SUMMARY_SECONDS);
    }

    /**
     * Interruption of a command that has much to put back.
     *
     * @param toEnd lets the command come to its end; called by another thread
     * @param seconds how long that may take
     */
    Interruption(Runnable toEnd, int seconds) {
        this.toEnd = toEnd;
        this.seconds = seconds;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Runs a command to its exit status: what it closes after its interruption's end is waited for, too. */
    public static int during(IntSupplier command) {
        CountDownLatch over = new CountDownLatch(1);
        returned = over;
        try {
            return command.getAsInt();
        } finally {
            over.countDown();
        }
    }

    private void interrupt() {
        toEnd.run();
        Patience patience = new Patience(TimeUnit.SECONDS.toNanos(seconds));
        try {
            if (!finished.await(seconds, TimeUnit.SECONDS)
                    || !returned.await(Math.max(0, patience.left()), TimeUnit.NANOSECONDS)) {
                System.err.println("bascule: still busy after " + seconds + " s; ended all the same");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (status != 0) {
            Runtime.getRuntime().halt(status); // a hook cannot change the status in another way
        }
    }

    /** How the command ends; returns it. */
    public int status(int newStatus) {
        status = newStatus;
        return newStatus;
    }

    /** Everything is said. */
    @Override
    public void close() {
        finished.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // Ctrl-C: the hook is running
        }
    }
}
