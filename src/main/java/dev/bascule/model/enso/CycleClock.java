package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.ring.Clock;

/** Time as the packet pipeline sees it: cycles of 200 MHz since the device came up; never goes backwards. */
@FunctionalInterface
public interface CycleClock {
    /** Cycles of 5 ns since the device came up. */
    long cycles();

    /** Cycles counted by a nanosecond clock, from now on. */
    static CycleClock ofNanos(Clock clock) {
        long start = clock.nanoTime();
        return () -> (clock.nanoTime() - start) / EnsoFormats.NANOS_PER_CYCLE;
    }
}
