package dev.bascule.vfio;

import dev.bascule.ffi.Epoll;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.OwnThread;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The thread of one device that runs handlers: waits for all their eventfds with epoll. Started at first use. */
final class InterruptThread implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(InterruptThread.class.getName());
    private static final long WAKE = 0;
    private static final int EVENTS = 64;

    private final Epoll epoll = Epoll.create(EVENTS);
    private final EventFd wake = EventFd.create();
    private final Map<Long, VfioInterrupt> watched = new ConcurrentHashMap<>();
    private final Queue<VfioInterrupt> again = new ConcurrentLinkedQueue<>();
    private final AtomicLong tokens = new AtomicLong();
    private final Thread thread;
    private volatile boolean stop;

    InterruptThread(String name) {
        epoll.add(wake.fd(), Linux.POLLIN, WAKE);
        thread = OwnThread.of(name, this::run);
        thread.start();
    }

    void add(VfioInterrupt interrupt) {
        long token = tokens.incrementAndGet();
        watched.put(token, interrupt);
        epoll.add(interrupt.source().fd(), Linux.POLLIN, token);
    }

    void remove(VfioInterrupt interrupt) {
        if (watched.values().remove(interrupt)) {
            epoll.remove(interrupt.source().fd());
        }
    }

    /** Handles this interrupt although its eventfd may be empty. */
    void again(VfioInterrupt interrupt) {
        again.add(interrupt);
        wake.signal();
    }

    private void run() {
        while (!stop) {
            int ready = epoll.await(-1);
            for (int i = 0; i < ready; i++) {
                dispatch(watched.get(epoll.token(i)));
            }
            wake.take();
            VfioInterrupt next = again.poll();
            while (next != null) {
                dispatch(next);
                next = again.poll();
            }
        }
    }

    private static void dispatch(@Nullable VfioInterrupt interrupt) {
        if (interrupt == null) {
            return;
        }
        try {
            interrupt.dispatch();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "handler of " + interrupt.kind() + " vector " + interrupt.vector(), e);
        }
    }

    /** Ends the thread; waits for a handler under way unless it is the handler that closes. */
    @Override
    public void close() {
        stop = true;
        wake.signal();
        if (Thread.currentThread() != thread) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        epoll.close();
        wake.close();
    }
}
