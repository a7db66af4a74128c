package dev.bascule.model.smartnic;

import dev.bascule.loopback.FaultInjector;
import dev.bascule.loopback.FaultRule;
import dev.bascule.ring.Doorbell;
import org.jspecify.annotations.Nullable;

/**
 * The sending end of an interrupt vector or doorbell. Costs one atomic add; the receiver is woken through the system
 * only when it sleeps. One thread per sender object.
 */
public final class SignalSender implements Doorbell {
    private final SignalLine line;
    private final Waker waker;
    private final int number;
    private final long delayNanos;
    private final @Nullable FaultInjector faults;
    private boolean gone;
    private long sent;

    SignalSender(SignalLine line, Waker waker, int number, long delayNanos, @Nullable FaultInjector faults) {
        this.line = line;
        this.waker = waker;
        this.number = number;
        this.delayNanos = delayNanos;
        this.faults = faults;
    }

    /** Raises the signal; everything stored before is visible to the receiver. */
    @Override
    public void ring(long value) {
        sent++;
        if (faults != null) {
            ringWithFaults(value, faults);
        } else {
            raise(1, value, 0);
        }
    }

    /** How often it was rung, faults not subtracted. */
    long sentCount() {
        return sent;
    }

    private void ringWithFaults(long value, FaultInjector injector) {
        FaultRule fault = injector.next(number);
        if (gone) {
            return;
        }
        if (fault == null) {
            raise(1, value, 0);
            return;
        }
        switch (fault.kind()) {
            case DROP, TEAR -> {
            }
            case DELAY, REORDER -> raise(1, value, fault.amount());
            case DUPLICATE -> raise(2, value, 0);
            case CORRUPT -> raise(1, value ^ 1L << injector.detail(Long.SIZE), 0);
            case REMOVE, DEAD -> gone = true;
        }
    }

    private void raise(long times, long value, long extraNanos) {
        long delay = delayNanos + extraNanos;
        if (line.raise(times, value, delay == 0 ? 0 : System.nanoTime() + delay)) {
            waker.wake();
        }
    }
}
