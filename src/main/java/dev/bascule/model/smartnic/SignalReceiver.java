package dev.bascule.model.smartnic;

import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import java.util.concurrent.locks.LockSupport;

/**
 * The receiving end of an interrupt vector (on the host) or of a doorbell (on the NIC, where it is a message interrupt
 * as well). One receiving thread.
 */
final class SignalReceiver implements Interrupt {
    private static final long SPIN_BELOW_NANOS = 200_000;

    private final SignalLine line;
    private final Waker waker;
    private final int number;
    private long seen;
    private boolean closed;
    private boolean alwaysWoken;

    SignalReceiver(SignalLine line, Waker waker, int number) {
        this.line = line;
        this.waker = waker;
        this.number = number;
        this.seen = line.raised();
        line.setMasked(false);
    }

    @Override
    public InterruptKind kind() {
        return InterruptKind.MSIX;
    }

    @Override
    public int vector() {
        return number;
    }

    @Override
    public int eventFd() {
        int number = waker.eventFd();
        if (number != NO_EVENT_FD && !alwaysWoken) {
            alwaysWoken = true; // whoever waits for the descriptor does not tell us when
            line.sleep();
            if (line.raised() != seen) {
                waker.wake();
            }
        }
        return number;
    }

    /** The value that the latest ring carried. */
    public long value() {
        return line.value();
    }

    @Override
    public long poll() {
        long raised = line.raised();
        if (raised == seen || line.masked()) {
            return 0;
        }
        long dueNanos = line.dueNanos();
        if (dueNanos != 0 && System.nanoTime() - dueNanos < 0) {
            return 0;
        }
        long count = raised - seen;
        seen = raised;
        if (alwaysWoken) {
            waker.clear();
        }
        return count;
    }

    @Override
    public long await(long timeoutNanos) {
        long start = System.nanoTime();
        long count = poll();
        while (count == 0) {
            long restNanos = timeoutNanos - (System.nanoTime() - start);
            if (restNanos <= 0) {
                break;
            }
            if (line.raised() != seen && !line.masked()) {
                waitForDelivery(restNanos);
            } else {
                waker.prepare();
                line.sleep();
                if (line.raised() == seen || line.masked()) {
                    waker.block(restNanos);
                }
                if (!alwaysWoken) {
                    line.awake();
                }
            }
            count = poll();
        }
        return count;
    }

    /** Raised, not masked, but still on its way: spins when it is due soon. */
    private void waitForDelivery(long restNanos) {
        long waitNanos = Math.min(line.dueNanos() - System.nanoTime(), restNanos);
        if (waitNanos > SPIN_BELOW_NANOS) {
            LockSupport.parkNanos(this, waitNanos - SPIN_BELOW_NANOS / 2);
        } else {
            Thread.onSpinWait();
        }
    }

    @Override
    public void mask() {
        line.setMasked(true);
    }

    @Override
    public void unmask() {
        line.setMasked(false);
        if (line.raised() != seen) {
            waker.wake();
        }
    }

    @Override
    public boolean pending() {
        return line.masked() && line.raised() != seen;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            line.setMasked(true);
        }
    }
}
