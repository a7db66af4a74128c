package dev.bascule.nic.corundum;

import dev.bascule.device.Interrupt;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Sleeps until a completion queue has something: by interrupt, or in naps. */
final class Arrivals {
    private static final long NAP_NANOS = 20_000;

    private Arrivals() {}

    static boolean await(CompletionRing completions, @Nullable EventSource events, long timeoutNanos) {
        if (completions.isReady()) {
            return true;
        }
        long end = System.nanoTime() + timeoutNanos;
        if (events == null) {
            nap(completions, end);
        } else {
            events.drain();
            completions.acknowledgeAndArm();
            sleep(completions, events, end);
        }
        return completions.isReady();
    }

    private static void nap(CompletionRing completions, long end) {
        long left = end - System.nanoTime();
        while (!completions.isReady() && left > 0) {
            LockSupport.parkNanos(completions, Math.min(NAP_NANOS, left));
            left = end - System.nanoTime();
        }
    }

    private static void sleep(CompletionRing completions, EventSource events, long end) {
        Interrupt interrupt = events.interrupt();
        long left = end - System.nanoTime();
        while (!completions.isReady() && left > 0) {
            interrupt.await(left);
            events.drain();
            left = end - System.nanoTime();
        }
    }
}
