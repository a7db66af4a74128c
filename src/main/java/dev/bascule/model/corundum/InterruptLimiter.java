package dev.bascule.model.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.model.parts.SpacedInterrupts;
import dev.bascule.ring.Clock;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The interrupt config block and the rate limiter it configures. */
final class InterruptLimiter extends RegisterBlock {
    private static final int RESET_MICROS = 10;

    private final SpacedInterrupts spaced;
    private int intervalMicros = RESET_MICROS;

    InterruptLimiter(int vectors, Clock clock, IntConsumer sink, FrameCause cause,
            @Nullable CorundumObserver observer) {
        super(TYPE_INTERRUPT_CONFIG, VERSION_INTERRUPT_CONFIG, 0x10);
        spaced = new SpacedInterrupts(vectors, clock, (vector, heldBack) -> {
            if (heldBack) {
                cause.current = 0;
            }
            if (observer != null) {
                observer.interrupted(vector, cause.current);
            }
            sink.accept(vector);
        });
        spaced.setIntervalMicros(RESET_MICROS);
    }

    void raise(int vector) {
        spaced.raise(vector);
    }

    /** Sends what windows that ended held back. */
    void poll() {
        spaced.poll();
    }

    /** Whether {@link #poll} has to be called again. */
    boolean isWaiting() {
        return spaced.isWaiting();
    }

    @Override
    int readField(int offset) {
        return offset == INTERRUPT_MIN_INTERVAL ? intervalMicros : 0;
    }

    @Override
    void writeField(int offset, int value, int lanes) {
        if (offset == INTERRUPT_MIN_INTERVAL) {
            intervalMicros = value & 0xFFFF;
            spaced.setIntervalMicros(intervalMicros);
        }
    }

    @Override
    public void reset() {
        intervalMicros = RESET_MICROS;
        spaced.setIntervalMicros(RESET_MICROS);
        spaced.reset();
    }
}
