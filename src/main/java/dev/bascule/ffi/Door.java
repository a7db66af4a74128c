package dev.bascule.ffi;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The door of a listener, of which there is no other: it accepts, and bounds connections, threads (one for each) and the time
 * for a whole greeting. A guest that has not greeted in time is closed; if all places are taken, the one of them that has
 * waited longest goes; if all have greeted, who comes is closed. Such are counted. No descriptors, no memory for a thread and
 * the like end nobody's listening: the door makes room, waits a little and goes on.
 * <p>
 * Thread rule: any thread.
 *
 * @param <S> a connection
 */
public final class Door<S extends AutoCloseable> implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Door.class.getName());
    private static final long LOOK_MILLIS = 1000;
    private static final long TROUBLE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** For the thread of a guest that has been closed to end. */
    private static final long ROOM_MILLIS = 200;

    private final String name;
    private final Entrance<S> entrance;
    private final Bounds bounds;
    private final Host<S> host;
    private final Thread keeper;
    private final Deque<Guest<S>> guests = new ArrayDeque<>(); // oldest first; guarded by itself
    /** Of the connections, those that were too many, too slow to greet, or another user's. */
    private final AtomicLong turnedAway = new AtomicLong();
    private volatile boolean closed;

    /**
     * Limits of a door.
     *
     * @param most connections at a time, of those that have greeted and those that have not
     * @param greetingMillis for a whole greeting or first request
     * @param anyUser whether other users than this one and root are let in; on UNIX sockets, whose files have modes too
     */
    public record Bounds(int most, long greetingMillis, boolean anyUser) {
        /** For whoever reaches the listener. */
        public static Bounds of(int most, long greetingMillis) {
            return new Bounds(most, greetingMillis, true);
        }

        /** For processes of this user and of root. */
        public static Bounds ownUser(int most, long greetingMillis) {
            return new Bounds(most, greetingMillis, false);
        }
    }

    /** Serves a guest, on a thread of its own; its connection is closed when this returns, unless it was taken. */
    public interface Host<S extends AutoCloseable> {
        /** @throws IOException or a {@link NativeException} or {@link IllegalStateException} if the guest has gone */
        void serve(Guest<S> guest) throws IOException;
    }

    /** A listening socket. */
    private interface Entrance<S> extends AutoCloseable {
        /** @return null after the timeout, or when the socket was closed */
        @Nullable
        S accept(long millis) throws IOException;

        boolean knows(S socket);

        @Override
        void close();
    }

    /** One that has come. */
    public static final class Guest<S extends AutoCloseable> {
        private final S socket;
        private final long patienceNanos;
        private volatile Patience patience;
        private volatile boolean bounded = true;
        private volatile boolean greeted;
        private @Nullable Thread thread;
        private boolean taken; // guarded by this, as is the next
        private boolean ended;

        private Guest(S socket, long patienceMillis) {
            this.socket = socket;
            patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
            patience = new Patience(patienceNanos);
        }

        /** The connection. */
        public S socket() {
            return socket;
        }

        /** The guest has said all that a greeting is: it stays as long as it likes. */
        public void greeted() {
            greeted = true;
            bounded = false;
        }

        /** A guest that has greeted has as long as for a greeting, from now, until it is {@link #greeted} again. */
        public void again() {
            patience = new Patience(patienceNanos);
            bounded = true;
        }

        /**
         * Takes the connection out of the door's hands: it is the caller's to close.
         *
         * @return false if the door has closed it
         */
        public synchronized boolean take() {
            taken = !ended;
            return taken;
        }

        /** Whether the door has closed the connection: for want of time or room, or because it closes. */
        public synchronized boolean isClosed() {
            return ended;
        }

        private synchronized boolean end() {
            boolean first = !ended && !taken;
            ended |= first;
            if (first) {
                Door.close(socket);
            }
            return first;
        }
    }

    private Door(String name, Entrance<S> entrance, Bounds bounds, Host<S> host) {
        this.name = name;
        this.entrance = entrance;
        this.bounds = bounds;
        this.host = host;
        keeper = OwnThread.of(name + "-door", this::keep);
    }

    /** A door of a UNIX socket, which is closed with it, open from now on; {@code name} is that of its threads. */
    public static Door<UnixSocket> open(String name, UnixListener listener, Bounds bounds, Host<UnixSocket> host) {
        return new Door<>(name, new Entrance<UnixSocket>() {
            @Override
            public @Nullable UnixSocket accept(long millis) {
                return listener.accept(millis);
            }

            @Override
            public boolean knows(UnixSocket socket) {
                int uid = bounds.anyUser() ? 0 : socket.peer().uid();
                return uid == 0 || uid == Libc.effectiveUserId();
            }

            @Override
            public void close() {
                listener.close();
            }
        }, bounds, host).opened();
    }

    /** A door of a TCP port, which is closed with it, open from now on; {@code name} is that of its threads. */
    public static Door<Socket> open(String name, ServerSocket listener, Bounds bounds, Host<Socket> host) {
        return new Door<>(name, new Entrance<Socket>() {
            @Override
            public @Nullable Socket accept(long millis) throws IOException {
                listener.setSoTimeout((int) Math.max(0, millis)); // 0 has no end
                try {
                    return listener.accept();
                } catch (SocketTimeoutException e) {
                    return null;
                }
            }

            @Override
            public boolean knows(Socket socket) {
                return true;
            }

            @Override
            public void close() {
                Door.close(listener);
            }
        }, bounds, host).opened();
    }

    private Door<S> opened() {
        keeper.start();
        return this;
    }

    private void keep() {
        while (!closed) {
            try {
                S come = entrance.accept(untilNextDeadlineMillis());
                if (come != null) {
                    receive(come);
                }
                endTheLate();
            } catch (IOException | RuntimeException | Error e) { // such as EMFILE, which lasts
                if (!closed && !makeRoom()) {
                    LOG.log(Level.DEBUG, name + " accepts nobody: " + e);
                    LockSupport.parkNanos(TROUBLE_NANOS);
                }
            }
        }
    }

    private void receive(S socket) {
        Guest<S> guest = new Guest<>(socket, bounds.greetingMillis());
        Thread thread = OwnThread.ofPeer(name, () -> serve(guest));
        guest.thread = thread;
        boolean isIn = false;
        try {
            isIn = entrance.knows(socket) && (count() < bounds.most() || makeRoom()) && add(guest);
            if (isIn) {
                thread.start();
            } else {
                turnAway(guest);
            }
        } catch (RuntimeException | Error e) {
            turnAway(guest);
            if (isIn) {
                remove(guest); // there is no thread that would
            }
            throw e;
        }
    }

    private void serve(Guest<S> guest) {
        try {
            host.serve(guest);
        } catch (IOException | NativeException | IllegalStateException e) {
            LOG.log(Level.DEBUG, name + ": the peer has gone: " + e.getMessage());
        } finally {
            guest.end();
            remove(guest);
        }
    }

    private void turnAway(Guest<S> guest) {
        if (guest.end()) {
            turnedAway.incrementAndGet();
        }
    }

    /** Closes the guest that has waited longest of those that have not greeted; false if there is none. */
    private boolean makeRoom() {
        for (Guest<S> guest : all()) {
            if (!guest.greeted && !guest.isClosed()) {
                turnAway(guest);
                return awaitFewerThan(bounds.most(), ROOM_MILLIS);
            }
        }
        return false;
    }

    private void endTheLate() {
        for (Guest<S> guest : all()) {
            if (guest.bounded && guest.patience.isOver()) {
                turnAway(guest);
            }
        }
    }

    private long untilNextDeadlineMillis() {
        List<Guest<S>> all = all();
        long least = all.isEmpty() ? -1 : LOOK_MILLIS;
        for (Guest<S> guest : all) {
            if (guest.bounded && !guest.isClosed()) {
                long left = TimeUnit.NANOSECONDS.toMillis(guest.patience.left()) + 1;
                least = Math.clamp(left, 1, least);
            }
        }
        return least;
    }

    private boolean add(Guest<S> guest) {
        synchronized (guests) {
            if (!closed) {
                guests.add(guest);
            }
            return !closed;
        }
    }

    private void remove(Guest<S> guest) {
        synchronized (guests) {
            guests.remove(guest);
            guests.notifyAll();
        }
    }

    private List<Guest<S>> all() {
        synchronized (guests) {
            return List.copyOf(guests);
        }
    }

    /** Guests that are there, each with a thread. */
    public int count() {
        synchronized (guests) {
            return guests.size();
        }
    }

    /**
     * Waits until fewer guests are there; interrupted, the caller stays so.
     *
     * @return whether it is so
     */
    public boolean awaitFewerThan(int number, long millis) {
        Patience patience = new Patience(TimeUnit.MILLISECONDS.toNanos(millis));
        synchronized (guests) {
            while (guests.size() >= number) {
                if (patience.isOver()) {
                    return false;
                }
                try {
                    guests.wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(patience.left())));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
            return true;
        }
    }

    /** Closes the listener and all connections. Does not wait for the threads; a second call does nothing. */
    @Override
    public void close() {
        boolean isFirst;
        synchronized (guests) {
            isFirst = !closed;
            closed = true;
        }
        if (isFirst && turnedAway.get() > 0) {
            LOG.log(Level.INFO, name + ": connections turned away: " + turnedAway);
        }
        entrance.close();
        LockSupport.unpark(keeper);
        all().forEach(Guest::end);
    }

    /** Closes, and waits for all of its threads but the calling one. */
    public void closeAndWait() {
        List<Guest<S>> last = all();
        close();
        join(keeper);
        last.forEach(guest -> join(guest.thread));
        all().forEach(guest -> join(guest.thread));
    }

    private static void join(@Nullable Thread thread) {
        boolean interrupted = false;
        while (thread != null && thread != Thread.currentThread() && thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) { // it is gone either way
            LOG.log(Level.DEBUG, "close a connection: " + e);
        }
    }
}
