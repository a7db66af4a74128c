package dev.bascule.model.smartnic;

import dev.bascule.ffi.EventFd;
import dev.bascule.model.smartnic.SmartNicRegion.Direction;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** One waker per signal of a region. */
final class Wakers implements AutoCloseable {
    private final Waker[] wakers = new Waker[2 * SmartNicRegion.SIGNALS];
    private final @Nullable WakeSocket socket;

    private Wakers(IntFunction<Waker> maker, @Nullable WakeSocket socket) {
        for (int i = 0; i < wakers.length; i++) {
            wakers[i] = maker.apply(i);
        }
        this.socket = socket;
    }

    /** For both sides in one process. */
    static Wakers local() {
        return new Wakers(i -> new Waker.Local(), null);
    }

    /** For two processes without a way to wake each other. */
    static Wakers polling() {
        return new Wakers(i -> new Waker.Poll(), null);
    }

    /** For two processes that share an eventfd per signal; owns them, and the socket. */
    static Wakers eventFds(List<EventFd> eventFds, @Nullable WakeSocket socket) {
        return new Wakers(i -> new WakeSocket.Waking(eventFds.get(i)), socket);
    }

    Waker of(Direction direction, int number) {
        return wakers[direction.ordinal() * SmartNicRegion.SIGNALS + number];
    }

    @Override
    public void close() {
        if (socket != null) {
            socket.close();
        }
        for (Waker waker : wakers) {
            waker.close();
        }
    }
}
