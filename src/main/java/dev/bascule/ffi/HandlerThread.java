package dev.bascule.ffi;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Thread that runs the handlers of one device's interrupts, one after the other: it waits for all their eventfds with
 * epoll. A handler that throws ends it.
 * <p>
 * Thread rule: any thread.
 */
public final class HandlerThread implements AutoCloseable {
    private static final long WAKE = 0;
    private static final int EVENTS = 64;

    private final Epoll epoll = Epoll.create(EVENTS);
    private final EventFd wake = EventFd.create();
    private final Map<Long, Watched> watched = new ConcurrentHashMap<>();
    private final Queue<Runnable> again = new ConcurrentLinkedQueue<>();
    private final AtomicLong tokens = new AtomicLong();
    private final Thread thread;
    private volatile boolean stop;
    private boolean closesItself;

    private record Watched(EventFd source, Runnable handler) {}

    /** A thread of that name, which is started. */
    public HandlerThread(String name) {
        epoll.add(wake.fd(), Linux.POLLIN, WAKE);
        thread = OwnThread.of(name, this::run);
        thread.start();
    }

    /** Runs the handler each time that the eventfd is readable; the handler takes its count. */
    public void add(EventFd source, Runnable handler) {
        long token = tokens.incrementAndGet();
        watched.put(token, new Watched(source, handler));
        epoll.add(source.fd(), Linux.POLLIN, token);
    }

    /** Watches an eventfd no longer; nothing where it is not watched. */
    public void remove(EventFd source) {
        if (watched.values().removeIf(entry -> entry.source == source)) {
            epoll.remove(source.fd());
        }
    }

    /** Runs a handler once, although its eventfd may be empty. */
    public void again(Runnable handler) {
        again.add(handler);
        wake.signal();
    }

    private void run() {
        while (!stop) {
            int ready = epoll.await(-1);
            for (int i = 0; i < ready && !stop; i++) {
                Watched entry = watched.get(epoll.token(i));
                if (entry != null) {
                    entry.handler.run();
                }
            }
            wake.take();
            Runnable next = again.poll();
            while (next != null) {
                next.run();
                next = again.poll();
            }
        }
        if (closesItself) {
            release();
        }
    }

    /** Ends the thread; waits for a handler under way unless it is the handler that closes. */
    @Override
    public void close() {
        stop = true;
        wake.signal();
        if (Thread.currentThread() == thread) {
            closesItself = true;
            return;
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        release();
    }

    private void release() {
        epoll.close();
        wake.close();
    }
}
