package dev.bascule.rdma;

import dev.bascule.ffi.Completions;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.SendRequests;
import dev.bascule.ffi.Verbs;
import dev.bascule.ffi.WatchedTime;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The sending half of a queue pair: requests that several threads post in turns, of which every so many complete, and the
 * room that completions give back. A request's number is how many were posted up to it; in a completion a look's number
 * stands above it.
 * <p>
 * Thread rule: {@link #isMoving} and {@link #isCarriedOut} by any thread, all else by one that holds the {@link #lock}.
 * Allocation-free.
 */
final class SendQueue {
    private static final int POLLED = 32;
    private static final int COUNT_BITS = 48;
    private static final long COUNT = (1L << COUNT_BITS) - 1;

    private final Verbs verbs;
    private final long completionQueue;
    private final int capacity;
    private final int signalEvery;
    private final long stallNanos;
    private final LongSupplier clock;
    private final WatchedTime time;
    private final RemoteRead[] looks;
    private final Consumer<String> failed;
    private final ReentrantLock lock = new ReentrantLock();
    private final Completions completions = new Completions(POLLED);
    private long posted;
    private long signalled;
    private long completedAtFull = -1;
    private long fullSince;
    private volatile long completed;
    private volatile long moved;
    private volatile boolean open = true;

    /**
     * @param capacity requests of the queue pair
     * @param clock time, ns
     * @param looks by their numbers
     * @param failed is told why nothing can be posted any more
     */
    SendQueue(Verbs verbs, long completionQueue, int capacity, long stallNanos, LongSupplier clock, RemoteRead[] looks,
            Consumer<String> failed) {
        this.verbs = verbs;
        this.completionQueue = completionQueue;
        this.capacity = capacity;
        this.stallNanos = stallNanos;
        this.clock = clock;
        moved = clock.getAsLong();
        time = new WatchedTime(Math.max(1, stallNanos / 8));
        this.looks = looks;
        this.failed = failed;
        signalEvery = capacity / 4;
    }

    /** Completions that may be waiting: if all fails, each request has one. */
    static int completions(int capacity) {
        return capacity + POLLED;
    }

    void lock() {
        lock.lock();
    }

    boolean tryLock() {
        return lock.tryLock();
    }

    void unlock() {
        lock.unlock();
    }

    /** Nothing is posted any more. */
    void stop() {
        open = false;
    }

    /**
     * Posts a chain.
     *
     * @param signal whether its last request completes in any case
     * @return its last request's number; 0 if it was not posted, as there was no room or the connection is broken
     */
    long send(Verbs.QueuePair pair, SendRequests requests, int count, boolean signal) {
        boolean due = signal || posted + count - signalled >= signalEvery;
        return post(pair, requests, count, due ? posted + count : 0);
    }

    /** Posts a look, which is told when its answer is there; false if it was not posted. */
    boolean send(Verbs.QueuePair pair, SendRequests requests, RemoteRead look) {
        looks[look.number()] = look;
        return post(pair, requests, 1, posted + 1 | (look.number() + 1L) << COUNT_BITS) != 0;
    }

    private long post(Verbs.QueuePair pair, SendRequests requests, int count, long id) {
        if (count == 0 || !hasRoom(count)) {
            return 0;
        }
        posted += count;
        if (id != 0) {
            requests.signal(count - 1, id);
            signalled = posted;
        }
        int errno = verbs.postSend(pair, requests.address());
        if (errno != 0) {
            fail("ibv_post_send: " + Errno.name(errno));
            return 0;
        }
        return posted;
    }

    /**
     * Whether a chain of so many requests can be posted now; never waits. A queue that stays full, with nothing carried out,
     * for longer than the limit ends the connection.
     */
    boolean hasRoom(int count) {
        if (open && isFull(count)) {
            take();
        }
        if (!open || !isFull(count)) {
            return open;
        }
        long now = time.at(clock.getAsLong());
        if (completed != completedAtFull) {
            completedAtFull = completed;
            fullSince = now;
        } else if (now - fullSince > stallNanos) {
            fail("it has taken nothing for " + stallNanos / 1_000_000 + " ms, and the send queue is full");
        }
        return false;
    }

    private boolean isFull(int count) {
        return posted + count - completed > capacity;
    }

    /** Whether something was carried out not longer ago than a quarter of the limit: the peer is slow, and not gone. */
    boolean isMoving() {
        return clock.getAsLong() - moved < stallNanos / 4;
    }

    /** Waits until all that was posted is carried out; the last request must complete. */
    void drain() {
        while (open && completed != posted) {
            take();
            Thread.yield();
        }
    }

    /** Whether the request of this number, and so all before it, have been carried out. */
    boolean isCarriedOut(long number) {
        return completed >= number;
    }

    /** Takes completions. */
    void poll() {
        if (open) {
            take();
        }
    }

    private void take() {
        int count = verbs.poll(completionQueue, completions.capacity(), completions.address());
        if (count < 0) {
            fail("ibv_poll_cq: " + count);
        }
        for (int i = 0; i < count; i++) {
            if (completions.status(i) != 0) {
                fail(completions.reason(i));
                return;
            }
            long id = completions.id(i);
            completed = id & COUNT;
            moved = clock.getAsLong();
            int look = (int) (id >>> COUNT_BITS);
            if (look > 0) {
                looks[look - 1].arrived();
            }
        }
    }

    private void fail(String why) {
        open = false;
        failed.accept(why);
    }
}
