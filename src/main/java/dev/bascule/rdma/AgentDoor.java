package dev.bascule.rdma;

import dev.bascule.ffi.OwnThread;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An agent's door: greets whoever calls, each on a thread of its own, until one has proved that it is the host. A stranger
 * who greets slowly keeps nobody else; beyond {@link #MOST} the next caller is hung up on, and a host calls again.
 * <p>
 * Thread rule: one thread.
 */
final class AgentDoor implements AutoCloseable {
    /** Callers that are greeted at a time. */
    static final int MOST = 16;

    private static final int LOOK_MILLIS = 10;

    private final ServerSocket listener;
    private final Credentials own;
    private final List<Socket> greeted = new ArrayList<>();
    private final LinkedBlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();

    /** What became of a caller: one of the two. */
    private record Outcome(Socket socket, @Nullable Exchange exchange, @Nullable Throwable failure) {}

    AgentDoor(ServerSocket listener, Credentials own) {
        this.listener = listener;
        this.own = own;
    }

    /**
     * Waits for the host.
     *
     * @param millis for the first caller; one that is being greeted by then is waited for
     * @throws SocketTimeoutException if nobody has called
     * @throws IOException if who called has hung up; as a {@link dev.bascule.device.DeviceException} if it is not the host
     */
    Exchange await(long millis) throws IOException {
        long started = System.nanoTime();
        while (true) {
            accept();
            Outcome outcome = outcomes.poll();
            if (outcome != null) {
                greeted.remove(outcome.socket);
                Exchange exchange = outcome.exchange;
                if (exchange != null) {
                    return exchange;
                }
                outcome.socket.close();
            }
            if (outcome != null && greeted.isEmpty()) {
                raise(outcome.failure);
            }
            if (greeted.isEmpty() && System.nanoTime() - started > TimeUnit.MILLISECONDS.toNanos(millis)) {
                throw new SocketTimeoutException("nobody has called");
            }
        }
    }

    private static void raise(@Nullable Throwable failure) throws IOException {
        switch (failure) {
            case IOException io -> throw io;
            case RuntimeException thrown -> throw thrown;
            case Error error -> throw error;
            case null, default -> throw new IOException("who called was not greeted: " + failure);
        }
    }

    private void accept() throws IOException {
        listener.setSoTimeout(LOOK_MILLIS);
        Socket socket;
        try {
            socket = listener.accept();
        } catch (SocketTimeoutException e) {
            return;
        }
        if (greeted.size() == MOST) {
            socket.close();
            return;
        }
        greeted.add(socket);
        OwnThread.of("bascule RDMA greeting", () -> greet(socket),
                e -> outcomes.add(new Outcome(socket, null, e))).start();
    }

    private void greet(Socket socket) {
        try {
            outcomes.add(new Outcome(socket, new Exchange(socket, own, false), null));
        } catch (IOException e) {
            outcomes.add(new Outcome(socket, null, e));
        }
    }

    /** Hangs up on all that are still being greeted. */
    @Override
    public void close() throws IOException {
        for (Socket socket : greeted) {
            socket.close();
        }
    }
}
