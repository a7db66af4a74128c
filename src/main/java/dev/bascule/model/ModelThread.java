package dev.bascule.model;

import org.jspecify.annotations.Nullable;

/** Ends of threads that models run. */
public final class ModelThread {
    private ModelThread() {}

    /** Waits until a thread that was told to end has ended; an interrupt meanwhile is kept for later. Null is no thread. */
    public static void join(@Nullable Thread thread) {
        boolean interrupted = false;
        while (thread != null && thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
