package dev.bascule.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/**
 * Waits for many descriptors at once. {@link #add} and {@link #remove} may be called by any thread; one thread at a
 * time may {@link #await} and then read {@link #token} and {@link #events}. Nothing is allocated while waiting.
 */
public final class Epoll implements AutoCloseable {
    private static final int CTL_ADD = 1;
    private static final int CTL_DEL = 2;
    private static final int CTL_MOD = 3;
    /** struct epoll_event is packed on x86-64 only. */
    private static final int DATA_OFFSET = Linux.AARCH64 ? 8 : 4;
    private static final int EVENT_BYTES = DATA_OFFSET + 8;

    private final Fd fd;
    private final int maxEvents;
    private final MemorySegment ready;
    private int readyCount;

    private Epoll(Fd fd, int maxEvents) {
        this.fd = fd;
        this.maxEvents = maxEvents;
        this.ready = Arena.ofAuto().allocate((long) EVENT_BYTES * maxEvents, 8);
    }

    /** A new, empty set. At most {@code maxEvents} are reported per {@link #await}. */
    public static Epoll create(int maxEvents) {
        if (maxEvents < 1 || maxEvents > 65_536) {
            throw new IllegalArgumentException("events per wait: " + maxEvents);
        }
        int number = (int) NativeCall.words(Fn.EPOLL_CREATE1, Linux.O_CLOEXEC, 0, 0);
        if (number < 0) {
            throw NativeException.last("epoll_create1", "new");
        }
        return new Epoll(Fd.adopt(number, "epoll"), maxEvents);
    }

    /** Watches {@code watched} for {@code events} ({@link Linux#POLLIN} ...), reported as {@code token}. */
    public void add(Fd watched, int events, long token) {
        control("add", CTL_ADD, watched, events, token);
    }

    /** Changes events and token. */
    public void modify(Fd watched, int events, long token) {
        control("modify", CTL_MOD, watched, events, token);
    }

    /** Stops watching. A descriptor must be removed before it is closed if a duplicate of it lives on. */
    public void remove(Fd watched) {
        control("remove", CTL_DEL, watched, 0, 0);
    }

    /**
     * Waits until something is ready.
     *
     * @param timeoutMillis negative waits forever, 0 only looks
     * @return how many are ready, 0 after the timeout
     */
    public int await(long timeoutMillis) {
        readyCount = 0;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.max(0, timeoutMillis));
        int number = fd.enter();
        try {
            while (true) {
                int left = timeoutMillis < 0 ? -1 : Poll.millisUntil(deadline);
                int count = (int) NativeCall.words(Fn.EPOLL_WAIT, NativeCall.word(number), ready,
                        NativeCall.word(maxEvents), NativeCall.word(left));
                if (count >= 0) {
                    readyCount = count;
                    return count;
                }
                if (NativeCall.errno() != Errno.EINTR) {
                    throw NativeException.last("epoll_wait", fd.name());
                }
            }
        } finally {
            fd.exit();
        }
    }

    /** Token of the ready descriptor {@code index} of the last {@link #await}. */
    public long token(int index) {
        return ready.get(ValueLayout.JAVA_LONG_UNALIGNED, at(index) + DATA_OFFSET);
    }

    /** Events of the ready descriptor {@code index} of the last {@link #await}. */
    public int events(int index) {
        return ready.get(ValueLayout.JAVA_INT_UNALIGNED, at(index));
    }

    @Override
    public void close() {
        fd.close();
    }

    private long at(int index) {
        return (long) java.util.Objects.checkIndex(index, readyCount) * EVENT_BYTES;
    }

    private void control(String what, int operation, Fd watched, int events, long token) {
        int number = fd.enter();
        int target = -1;
        try (Arena arena = Arena.ofConfined()) {
            target = watched.enter();
            MemorySegment event = arena.allocate(EVENT_BYTES, 8);
            event.set(ValueLayout.JAVA_INT, 0, events);
            event.set(ValueLayout.JAVA_LONG_UNALIGNED, DATA_OFFSET, token);
            int result = (int) NativeCall.words(Fn.EPOLL_CTL, NativeCall.word(number), NativeCall.word(operation),
                    NativeCall.word(target), event);
            if (result < 0) {
                throw NativeException.last("epoll_ctl " + what, watched.name());
            }
        } finally {
            if (target >= 0) {
                watched.exit();
            }
            fd.exit();
        }
    }
}
