package dev.bascule.host.scx;

import dev.bascule.ffi.SchedulingClass;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Starts programs in the scheduling class that is ruled, from their first instruction on: a process is in the class of the
 * thread that starts it, so a thread of its own joins the class for that moment. The kernel's side lets threads of the
 * host's process run whoever decides.
 */
public final class RuledProcess {
    private RuledProcess() {}

    /**
     * Starts the program; its children will be in the class, too. What the start throws is thrown.
     *
     * @param start starts it from the calling thread
     * @throws dev.bascule.ffi.NativeException if the kernel has no such class
     */
    public static Process start(Callable<Process> start) throws InterruptedException {
        AtomicReference<@Nullable Process> started = new AtomicReference<>();
        AtomicReference<@Nullable RuntimeException> failed = new AtomicReference<>();
        Thread starter = Thread.ofPlatform().name("ruled-start").start(() -> {
            try {
                SchedulingClass.set(0, SchedulingClass.EXT, 0);
                started.set(start.call());
            } catch (RuntimeException e) {
                failed.set(e);
            } catch (IOException e) {
                failed.set(new UncheckedIOException("start a program to be ruled: " + e.getMessage(), e));
            } catch (Exception e) {
                failed.set(new IllegalStateException("start a program to be ruled", e));
            }
        });
        starter.join();
        RuntimeException why = failed.get();
        Process process = started.get();
        if (why != null || process == null) {
            throw why != null ? why : new IllegalStateException("no process");
        }
        return process;
    }
}
