package dev.bascule.model.parts;

import dev.bascule.ring.Clock;
import java.util.Arrays;

/**
 * Rate limiter of interrupts: of each vector, the first passes and opens a window; all further ones within the window
 * become one at its end, which opens the next window.
 */
public final class SpacedInterrupts {
    private static final long NANOS_PER_MICRO = 1000;

    /** Takes what leaves the limiter. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Sends an interrupt.
         *
         * @param heldBack whether it waited for the end of a window
         */
        void send(int vector, boolean heldBack);
    }

    private final Clock clock;
    private final Sink sink;
    private final long[] windowEndNanos;
    private final boolean[] windowOpen;
    private final boolean[] pending;
    private int pendingCount;
    private int intervalMicros;

    /** Makes one that lets everything pass until {@link #setIntervalMicros}. */
    public SpacedInterrupts(int vectors, Clock clock, Sink sink) {
        this.clock = clock;
        this.sink = sink;
        windowEndNanos = new long[vectors];
        windowOpen = new boolean[vectors];
        pending = new boolean[vectors];
    }

    /** Sets the length of windows opened from now on; 0 for none. */
    public void setIntervalMicros(int micros) {
        intervalMicros = micros;
    }

    /** Sends an interrupt, now or at the end of its vector's window. */
    public void raise(int vector) {
        if (intervalMicros == 0) {
            sink.send(vector, false);
            return;
        }
        long now = clock.nanoTime();
        if (windowOpen[vector] && now - windowEndNanos[vector] < 0) {
            if (!pending[vector]) {
                pending[vector] = true;
                pendingCount++;
            }
            return;
        }
        open(vector, now, false);
    }

    /** Sends what windows that ended held back. */
    public void poll() {
        if (pendingCount == 0) {
            return;
        }
        long now = clock.nanoTime();
        for (int vector = 0; vector < pending.length; vector++) {
            if (pending[vector] && now - windowEndNanos[vector] >= 0) {
                pending[vector] = false;
                pendingCount--;
                open(vector, now, true);
            }
        }
    }

    /** Whether {@link #poll} has to be called again. */
    public boolean isWaiting() {
        return pendingCount != 0;
    }

    private void open(int vector, long now, boolean heldBack) {
        windowOpen[vector] = true;
        windowEndNanos[vector] = now + intervalMicros * NANOS_PER_MICRO;
        sink.send(vector, heldBack);
    }

    /** Forgets all windows and what they hold back. */
    public void reset() {
        pendingCount = 0;
        Arrays.fill(pending, false);
        Arrays.fill(windowOpen, false);
    }
}
