package dev.bascule.loopback;

import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.ffi.EventFd;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One open vector of a loopback device. Masks live in the device; this end counts, wakes and calls back. */
final class LoopbackInterrupt implements Interrupt {
    private final LoopbackInterrupts owner;
    private final InterruptKind kind;
    private final int vector;
    private final @Nullable Runnable handler;
    private long delivered;
    private long taken;
    private long dueNanos;
    private @Nullable EventFd eventFd;
    private @Nullable Thread sleeper;
    private boolean closed;

    LoopbackInterrupt(LoopbackInterrupts owner, InterruptKind kind, int vector, @Nullable Runnable handler) {
        this.owner = owner;
        this.kind = kind;
        this.vector = vector;
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
    public synchronized int eventFd() {
        if (closed) {
            return NO_EVENT_FD;
        }
        if (eventFd == null) {
            eventFd = EventFd.create();
            if (delivered != taken) {
                eventFd.signal();
            }
        }
        return eventFd.fd().number();
    }

    @Override
    public synchronized long poll() {
        if (delivered == taken || dueNanos != 0 && System.nanoTime() - dueNanos < 0) {
            return 0;
        }
        long count = delivered - taken;
        taken = delivered;
        if (eventFd != null) {
            eventFd.take();
        }
        return count;
    }

    @Override
    public long await(long timeoutNanos) {
        long start = System.nanoTime();
        synchronized (this) {
            sleeper = Thread.currentThread();
        }
        long count = poll();
        while (count == 0) {
            long restNanos = timeoutNanos - (System.nanoTime() - start);
            if (restNanos <= 0) {
                break;
            }
            if (!onTheWay()) {
                LockSupport.parkNanos(this, restNanos);
            }
            count = poll();
        }
        return count;
    }

    private synchronized boolean onTheWay() {
        return delivered != taken;
    }

    @Override
    public void mask() {
        owner.hosted().setMasked(kind, vector, true);
    }

    @Override
    public void unmask() {
        owner.hosted().setMasked(kind, vector, false);
    }

    @Override
    public boolean pending() {
        return owner.hosted().pending(kind, vector);
    }

    /** The link carries a delivery; it is here in {@code delayNanos}. */
    void deliver(long delayNanos) {
        synchronized (this) {
            if (closed) {
                return;
            }
            delivered++;
            dueNanos = delayNanos == 0 ? 0 : System.nanoTime() + delayNanos;
        }
        if (delayNanos == 0) {
            signal();
        } else {
            owner.later(this::signal, delayNanos);
        }
        if (handler != null) {
            owner.later(this::handle, delayNanos);
        }
    }

    private synchronized void signal() {
        if (closed) {
            return;
        }
        if (eventFd != null) {
            eventFd.signal();
        }
        LockSupport.unpark(sleeper);
    }

    private void handle() {
        Runnable action = handler;
        synchronized (this) {
            if (closed) {
                return;
            }
        }
        if (action != null) {
            action.run();
        }
    }

    @Override
    public void close() {
        owner.forget(this);
        synchronized (this) {
            closed = true;
            if (eventFd != null) {
                eventFd.close();
                eventFd = null;
            }
        }
    }
}
