package dev.bascule.rdma;

import dev.bascule.ffi.Door;
import dev.bascule.ffi.Patience;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An agent's door: greets whoever calls until one has proved that it is the host. A stranger who greets slowly keeps nobody
 * else: beyond {@link #MOST} the one that has greeted longest is hung up on.
 * <p>
 * Thread rule: one thread.
 */
final class AgentDoor implements AutoCloseable {
    /** Callers that are greeted at a time. */
    static final int MOST = 16;

    private static final Door.Bounds BOUNDS = Door.Bounds.of(MOST, Exchange.GREETING_MILLIS);
    private static final int LOOK_MILLIS = 10;

    private final LinkedBlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();
    private final Credentials own;
    private final Door.Bounds bounds;
    private final Door<Socket> door;

    /** Result of a caller's greeting: one of the two. */
    private record Outcome(@Nullable Exchange exchange, @Nullable Exception failure) {}

    /** A door of the listener, which is closed with it. */
    AgentDoor(ServerSocket listener, Credentials own) {
        this(listener, own, BOUNDS);
    }

    AgentDoor(ServerSocket listener, Credentials own, Door.Bounds bounds) {
        this.own = own;
        this.bounds = bounds;
        door = Door.open("bascule RDMA greeting", listener, bounds, this::greet);
    }

    private void greet(Door.Guest<Socket> guest) {
        try {
            Exchange exchange = new Exchange(guest.socket(), own, false, (int) bounds.greetingMillis());
            if (guest.take()) {
                outcomes.add(new Outcome(exchange, null));
            }
        } catch (IOException | RuntimeException e) {
            outcomes.add(new Outcome(null, e));
        }
    }

    /**
     * Waits for the host.
     *
     * @param millis for the first caller; one that is being greeted by then is waited for
     * @throws SocketTimeoutException if nobody has called
     * @throws IOException if who called has hung up; as a {@link dev.bascule.device.DeviceException} if it is not the host
     */
    Exchange await(long millis) throws IOException {
        Patience patience = new Patience(TimeUnit.MILLISECONDS.toNanos(millis));
        Exception failure = null;
        while (true) {
            boolean isEmpty = door.count() == 0;
            Outcome outcome = next();
            if (outcome != null && outcome.exchange != null) {
                return outcome.exchange;
            }
            if (outcome != null) {
                failure = outcome.failure;
            } else if (isEmpty && failure != null) {
                raise(failure);
            } else if (isEmpty && patience.isOver()) {
                throw new SocketTimeoutException("nobody has called");
            }
        }
    }

    private @Nullable Outcome next() throws IOException {
        try {
            return outcomes.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while callers were greeted", e);
        }
    }

    private static void raise(Exception failure) throws IOException {
        switch (failure) {
            case IOException io -> throw io;
            case RuntimeException thrown -> throw thrown;
            default -> throw new IOException("who called was not greeted: " + failure);
        }
    }

    /** Hangs up on all that are still being greeted, and on hosts that came second. */
    @Override
    public void close() {
        door.closeAndWait();
        for (Outcome left = outcomes.poll(); left != null; left = outcomes.poll()) {
            if (left.exchange != null) {
                left.exchange.close();
            }
        }
    }
}
