package dev.bascule.bench;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends a measuring process that nobody waits for any more: two threads that spin for each other for ever would take
 * the machine away.
 */
final class Leash {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private Leash() {}

    /** Halts this process with status 3 when process {@code parent} is gone or {@code limitNanos} are over. */
    static void hold(long parent, long limitNanos) {
        long end = System.nanoTime() + limitNanos;
        Thread.ofPlatform().daemon().name("bench-leash").start(() -> {
            while (System.nanoTime() - end < 0 && ProcessHandle.of(parent).isPresent()) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
            System.err.println("bench: measuring process stuck or left alone, giving up");
            Runtime.getRuntime().halt(3);
        });
    }
}
