package dev.bascule.vfio;

import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.ffi.EventFd;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One vector with its eventfd. The kernel masks the pin (INTX) at each delivery until {@link #unmask}. It offers no mask
 * for message interrupts, so {@link #mask} holds them back here; the eventfd still becomes readable.
 */
final class VfioInterrupt implements Interrupt {
    private static final System.Logger LOG = System.getLogger(VfioInterrupt.class.getName());
    private static final long MILLI = 1_000_000;

    private final VfioInterrupts owner;
    private final InterruptKind kind;
    private final int vector;
    private final EventFd eventFd;
    private final @Nullable Runnable handler;
    private volatile boolean masked;
    private volatile boolean closed;
    private long held;

    VfioInterrupt(VfioInterrupts owner, InterruptKind kind, int vector, EventFd eventFd, @Nullable Runnable handler) {
        this.owner = owner;
        this.kind = kind;
        this.vector = vector;
        this.eventFd = eventFd;
        this.handler = handler;
    }

    @Override
    public InterruptKind kind() {
        return kind;
    }

    @Override
    public int vector() {
        return vector;
    }

    @Override
    public int eventFd() {
        return closed ? NO_EVENT_FD : eventFd.fd().number();
    }

    EventFd source() {
        return eventFd;
    }

    boolean hasHandler() {
        return handler != null;
    }

    @Override
    public synchronized long poll() {
        if (closed) {
            return 0;
        }
        held += eventFd.take();
        if (masked && kind != InterruptKind.INTX) {
            return 0;
        }
        long count = held;
        held = 0;
        return count;
    }

    @Override
    public long await(long timeoutNanos) {
        if (timeoutNanos >= MILLI && !masked && !closed && held() == 0) {
            long taken = eventFd.await(TimeUnit.NANOSECONDS.toMillis(timeoutNanos)); // the usual case: one wait does
            return add(taken);
        }
        long deadline = System.nanoTime() + timeoutNanos;
        long count = poll();
        while (count == 0 && !closed) {
            long rest = deadline - System.nanoTime();
            if (rest <= 0) {
                break;
            }
            if (masked || rest < MILLI) {
                Thread.onSpinWait();
                count = poll();
            } else {
                count = add(eventFd.await(TimeUnit.NANOSECONDS.toMillis(rest)));
            }
        }
        return count;
    }

    private synchronized long held() {
        return held;
    }

    /** Adds what the wait took; asks the eventfd again only where there is nothing to give. */
    private synchronized long add(long taken) {
        if (taken == 0 || closed || masked) {
            held += taken;
            return poll();
        }
        long count = held + taken;
        held = 0;
        return count;
    }

    /** The backing's thread saw the eventfd: counts and calls the handler unless masked. */
    void dispatch() {
        Runnable action = handler;
        if (action != null && poll() > 0) {
            try {
                action.run();
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "handler of " + kind + " vector " + vector, e);
            }
        }
    }

    @Override
    public void mask() {
        masked = true;
        if (kind == InterruptKind.INTX) {
            owner.maskPin(true);
        }
    }

    @Override
    public void unmask() {
        masked = false;
        if (kind == InterruptKind.INTX) {
            owner.maskPin(false);
        } else if (handler != null && pending()) {
            owner.wake(this);
        }
    }

    @Override
    public synchronized boolean pending() {
        if (!closed) {
            held += eventFd.take();
        }
        return held > 0;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            owner.forget(this);
        }
    }
}
