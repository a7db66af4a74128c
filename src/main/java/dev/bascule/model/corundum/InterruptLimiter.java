package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.ring.Clock;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The interrupt config block and the rate limiter it configures: per vector, the first interrupt passes and opens a
 * window; all further ones within the window become one at its end, which opens the next window.
 */
final class InterruptLimiter extends RegisterBlock {
    private static final int RESET_MICROS = 10;
    private static final long NANOS_PER_MICRO = 1000;

    private final Clock clock;
    private final IntConsumer sink;
    private final FrameCause cause;
    private final @Nullable CorundumObserver observer;
    private final long[] windowEndNanos;
    private final boolean[] windowOpen;
    private final boolean[] pending;
    private int pendingCount;
    private int intervalMicros = RESET_MICROS;

    InterruptLimiter(int vectors, Clock clock, IntConsumer sink, FrameCause cause,
            @Nullable CorundumObserver observer) {
        super(TYPE_INTERRUPT_CONFIG, VERSION_INTERRUPT_CONFIG, 0x10);
        this.clock = clock;
        this.sink = sink;
        this.cause = cause;
        this.observer = observer;
        windowEndNanos = new long[vectors];
        windowOpen = new boolean[vectors];
        pending = new boolean[vectors];
    }

    void raise(int vector) {
        if (intervalMicros == 0) {
            emit(vector);
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
        emitAndOpenWindow(vector, now);
    }

    /** Sends what windows that ended held back. */
    void poll() {
        if (pendingCount == 0) {
            return;
        }
        long now = clock.nanoTime();
        for (int vector = 0; vector < pending.length; vector++) {
            if (pending[vector] && now - windowEndNanos[vector] >= 0) {
                pending[vector] = false;
                pendingCount--;
                cause.current = 0;
                emitAndOpenWindow(vector, now);
            }
        }
    }

    /** Whether {@link #poll} has to be called again. */
    boolean isWaiting() {
        return pendingCount != 0;
    }

    private void emitAndOpenWindow(int vector, long now) {
        windowOpen[vector] = true;
        windowEndNanos[vector] = now + intervalMicros * NANOS_PER_MICRO;
        emit(vector);
    }

    private void emit(int vector) {
        if (observer != null) {
            observer.interrupted(vector, cause.current);
        }
        sink.accept(vector);
    }

    @Override
    int readField(int offset) {
        return offset == INTERRUPT_MIN_INTERVAL ? intervalMicros : 0;
    }

    @Override
    void writeField(int offset, int value, int lanes) {
        if (offset == INTERRUPT_MIN_INTERVAL) {
            intervalMicros = value & 0xFFFF;
        }
    }

    @Override
    public void reset() {
        intervalMicros = RESET_MICROS;
        pendingCount = 0;
        Arrays.fill(pending, false);
        Arrays.fill(windowOpen, false);
    }
}
