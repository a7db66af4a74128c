package dev.bascule.study.lauberhorn;

import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.PerfEvents;
import dev.bascule.ffi.PerfEvents.Event;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * CPU use of this process from the making of this object to {@link #close}: time of CPUs, and instructions in user mode
 * of this thread and of those that it starts meanwhile, where the machine counts them.
 * <p>
 * Thread rule: the thread that starts the others.
 */
final class CpuUse implements AutoCloseable {
    private final long beforeNanos = processNanos();
    private final @Nullable PerfEvents events;
    private final String whyNot;

    CpuUse() {
        PerfEvents opened = null;
        String missing = "";
        try {
            opened = PerfEvents.openWithThreads(Event.INSTRUCTIONS);
            opened.start();
        } catch (NativeException e) {
            missing = String.valueOf(e.getMessage());
        }
        events = opened;
        whyNot = missing;
    }

    private static long processNanos() {
        return ProcessHandle.current().info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    }

    /** Time of CPUs, in the kernel's steps of 10 ms. */
    long cpuNanos() {
        return processNanos() - beforeNanos;
    }

    /** NaN where the machine does not count them. */
    double instructions() {
        return events == null ? Double.NaN : events.counts()[0];
    }

    /** Why they are not counted; empty if they are. */
    String whyNot() {
        return whyNot;
    }

    @Override
    public void close() {
        if (events != null) {
            events.close();
        }
    }
}
