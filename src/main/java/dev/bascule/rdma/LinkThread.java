package dev.bascule.rdma;

import java.util.function.Consumer;

/**
 * Threads of a side of its own, all of which are started here: one that ends by an exception, whichever, is heard of.
 * <p>
 * Thread rule: any thread.
 */
final class LinkThread {
    private LinkThread() {}

    /**
     * Makes a thread that is not started yet.
     *
     * @param failed is told, on that thread, by what it ended; it goes on with what must be done in any case
     */
    static Thread of(String name, Runnable body, Consumer<? super Throwable> failed) {
        return Thread.ofPlatform().daemon().name(name).unstarted(() -> {
            try {
                body.run();
            } catch (RuntimeException | Error e) {
                failed.accept(e);
            }
        });
    }
}
