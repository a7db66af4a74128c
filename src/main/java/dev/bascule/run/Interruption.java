package dev.bascule.run;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C or SIGTERM while a command runs: tells it to end, waits until it has said what it found, and lets its exit status
 * pass if that is not 0; else the process ends with that of the signal.
 */
public final class Interruption implements AutoCloseable {
    private static final int SUMMARY_SECONDS = 5;

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

    private void interrupt() {
        toEnd.run();
        try {
            if (!finished.await(seconds, TimeUnit.SECONDS)) {
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
