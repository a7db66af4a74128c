package dev.bascule.ffi;

import java.lang.System.Logger.Level;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Threads of hosts, servers, listeners and watchdogs, all of which are made here: one that ends by an exception, whichever,
 * is heard of. All are daemons with a kernel thread of their own, and not started yet.
 * <p>
 * Thread rule: any thread.
 */
public final class OwnThread {
    private static final System.Logger LOG = System.getLogger(OwnThread.class.getName());

    private static volatile BiConsumer<String, Throwable> ended = (name, thrown) -> {};

    private OwnThread() {}

    /**
     * Makes a thread that does what nobody else would go on with.
     *
     * @param name which the log and {@link #onEnd} say
     */
    public static Thread of(String name, Runnable body) {
        return of(name, body, thrown -> {
            log(name, thrown);
            ended.accept(name, thrown);
        });
    }

    /** Makes a thread for one peer of several: if it ends by an exception, that is logged, and the others are served on. */
    public static Thread ofPeer(String name, Runnable body) {
        return of(name, body, thrown -> log(name, thrown));
    }

    /**
     * Makes a thread whose user knows what follows from its end.
     *
     * @param failed is told, on that thread, by what it ended; it goes on with what must be done in any case
     */
    public static Thread of(String name, Runnable body, Consumer<? super Throwable> failed) {
        return Thread.ofPlatform().daemon().name(name).unstarted(() -> {
            try {
                body.run();
            } catch (RuntimeException | Error e) {
                failed.accept(e);
            }
        });
    }

    /**
     * Says what happens, beside the log, when a thread that nobody goes on for ends by an exception: a command ends. A
     * program that uses Bascule as a library, which says nothing, goes on.
     *
     * @param action gets the thread's name and what was thrown, on that thread
     */
    public static void onEnd(BiConsumer<String, Throwable> action) {
        ended = action;
    }

    private static void log(String name, Throwable thrown) {
        LOG.log(Level.WARNING, "the thread \"" + name + "\" has ended", thrown);
    }
}
