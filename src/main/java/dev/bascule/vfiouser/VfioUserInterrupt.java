package dev.bascule.vfiouser;

import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.ffi.EventFd;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One open vector of a served device: an eventfd that the server signals. */
final class VfioUserInterrupt implements Interrupt {
    private final VfioUserInterrupts owner;
    private final InterruptKind kind;
    private final int vector;
    private final @Nullable Runnable handler;
    private final EventFd eventFd = EventFd.create();
    private long delivered;
    private long taken;
    private boolean closed;

    VfioUserInterrupt(VfioUserInterrupts owner, InterruptKind kind, int vector, @Nullable Runnable handler) {
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
        return closed ? NO_EVENT_FD : eventFd.fd().number();
    }

    EventFd line() {
        return eventFd;
    }

    @Override
    public synchronized long poll() {
        long count = closed || handler != null ? 0 : eventFd.take();
        count += delivered - taken;
        taken = delivered;
        return count;
    }

    @Override
    public long await(long timeoutNanos) {
        long deadline = owner.nanoTime() + timeoutNanos;
        long count = poll();
        while (count == 0) {
            long left = deadline - owner.nanoTime();
            if (left <= 0 || isClosed()) {
                break;
            }
            long millis = owner.nap(TimeUnit.NANOSECONDS.toMillis(left + 999_999));
            if (handler == null) {
                count = waitForLine(millis);
            } else {
                waitForHandler(millis);
                count = poll();
            }
        }
        return count;
    }

    private long waitForLine(long millis) {
        try {
            return eventFd.await(millis);
        } catch (IllegalStateException e) {
            return 0; // closed meanwhile
        }
    }

    private synchronized void waitForHandler(long millis) {
        if (delivered == taken && !closed) {
            try {
                wait(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** The line was signalled, seen by the thread that runs handlers. */
    void dispatch() {
        synchronized (this) {
            long count = closed ? 0 : eventFd.take();
            if (count == 0) {
                return;
            }
            delivered += count;
            notifyAll();
        }
        if (handler != null) {
            handler.run();
        }
    }

    /** This end raises it, as for a device that is gone. */
    synchronized void signal() {
        if (!closed) {
            eventFd.signal();
        }
    }

    @Override
    public void mask() {
        owner.setMasked(this, true);
    }

    @Override
    public void unmask() {
        owner.setMasked(this, false);
    }

    @Override
    public boolean pending() {
        return owner.pending(this);
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            eventFd.signal(); // who waits in it wakes up
            notifyAll();
        }
        try {
            owner.forget(this);
        } finally {
            eventFd.close(); // whatever the server answered
        }
    }
}
