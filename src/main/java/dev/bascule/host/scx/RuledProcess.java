package dev.bascule.host.scx;

import dev.bascule.ffi.SchedulingClass;
import java.io.IOException;
import java.io.UncheckedIOException;
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
     * Starts the program; its children will be in the class, too.
     *
     * @throws UncheckedIOException if it cannot be started
     * @throws dev.bascule.ffi.NativeException if the kernel has no such class
     */
    public static Process start(ProcessBuilder program) throws InterruptedException {
        AtomicReference<@Nullable Process> started = new AtomicReference<>();
        AtomicReference<@Nullable RuntimeException> failed = new AtomicReference<>();
        Thread starter = Thread.ofPlatform().name("ruled-start").start(() -> {
            try {
                SchedulingClass.set(0, SchedulingClass.EXT, 0);
                started.set(program.start());
            } catch (IOException e) {
                failed.set(
                        new UncheckedIOException("start " + program.command().getFirst() + ": " + e.getMessage(), e));
            } catch (RuntimeException e) {
                failed.set(e);
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
