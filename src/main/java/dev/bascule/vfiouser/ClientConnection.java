package dev.bascule.vfiouser;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixSocket;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client's side of a connection: requests, whose errors are reported in the words of {@code device}. Any thread. */
final class ClientConnection implements AutoCloseable {
    private static final long CLOCK_LOOK_MILLIS = 1;

    private final Endpoint endpoint;
    private final String server;
    private final VfioUserOptions options;
    private Offer peer = Offer.OURS;
    private @Nullable ServedClock clock;
    private volatile boolean closed;

    private ClientConnection(Endpoint endpoint, String server, VfioUserOptions options) {
        this.endpoint = endpoint;
        this.server = server;
        this.options = options;
    }

    /** Connects and agrees on a version. */
    static ClientConnection connect(Path path, VfioUserOptions options, Endpoint.Handler handler) {
        UnixSocket socket;
        try {
            socket = UnixSocket.connect(path, UnixSocket.Type.STREAM);
        } catch (NativeException e) {
            throw new DeviceException("connect to vfio-user server", path.toString(), e.errnoName(),
                    e.errno() == Errno.ENOENT || e.errno() == Errno.ECONNREFUSED
                            ? "start one there, such as: bascule serve --device corundum --socket " + path
                            : "see that this user may write to the socket",
                    e);
        }
        ClientConnection connection = new ClientConnection(
                new Endpoint(socket, Offer.OURS.maxDescriptors(), handler), path.toString(), options);
        try {
            connection.negotiate();
            return connection;
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private void negotiate() {
        Message reply = request("agree on a version", Protocol.VERSION, Offer.OURS.request(), MemorySegment.NULL,
                List.of());
        try {
            peer = Offer.parse(reply.body());
            if (peer.clockAt() != Offer.NO_CLOCK) {
                watch(reply);
            }
        } catch (Refusal e) {
            throw malformed("agree on a version", e.reason());
        } finally {
            endpoint.recycle(reply);
        }
    }

    private void watch(Message reply) throws Refusal {
        if (reply.descriptors().size() != 1) {
            throw Refusal.invalid(reply.descriptors().size() + " descriptors with a clock, which has one");
        }
        ServedClock served = new ServedClock(reply.descriptors().getFirst(), peer.clockAt(), options.timeoutNanos(),
                server);
        clock = served;
        endpoint.watch(served::sign);
    }

    /** Nanoseconds by the device's clock; by the wall clock, if the server offers none. */
    long nanoTime() {
        ServedClock served = clock;
        return served == null ? System.nanoTime() : served.nanoTime();
    }

    /** Longest of these waits by the wall clock after which {@link #nanoTime} is to be looked at again. */
    long nap(long millis) {
        return clock == null ? millis : Math.min(millis, CLOCK_LOOK_MILLIS);
    }

    /** Offer of the server. */
    Offer peer() {
        return peer;
    }

    VfioUserOptions options() {
        return options;
    }

    boolean isGone() {
        return endpoint.end() != null;
    }

    boolean isClosed() {
        return closed;
    }

    /** Sends a command and gives its reply, to be given back with {@link #recycle}. An error reply is an exception. */
    Message request(String step, int command, MemorySegment head, MemorySegment data, List<Fd> descriptors) {
        try {
            return exchange(step, command, head, data, descriptors);
        } catch (Disconnected e) {
            throw gone(step);
        }
    }

    /** As {@link #request}, for callers to whom a removed device is not an error. */
    Message exchange(String step, int command, MemorySegment head, MemorySegment data, List<Fd> descriptors)
            throws Disconnected {
        Message reply = endpoint.call(command, head, data, descriptors, options.timeoutNanos(), false);
        if (reply.command != command) {
            endpoint.recycle(reply);
            throw malformed(step, "the reply is to " + Protocol.name(reply.command));
        }
        if (reply.failed()) {
            int errno = reply.error;
            endpoint.recycle(reply);
            throw new DeviceException(step, server,
                    "the server answers " + (errno == 0 ? "with an error" : Errno.name(errno)),
                    errno == Errno.EBUSY
                            ? "another client uses the device: end it, or start a second server"
                            : "see what the server tells, and whether both sides are of the same version");
        }
        return reply;
    }

    /** A command whose reply has no content of interest. */
    void command(String step, int command, MemorySegment head, MemorySegment data, List<Fd> descriptors) {
        recycle(request(step, command, head, data, descriptors));
    }

    /** A command without reply. */
    void post(int command, MemorySegment head, MemorySegment data) throws Disconnected {
        endpoint.post(command, head, data);
    }

    void recycle(Message message) {
        endpoint.recycle(message);
    }

    DeviceFormatException malformed(String step, String problem) {
        return new DeviceFormatException(step, server, problem,
                "the server does not speak vfio-user 0.1 as published; use another one");
    }

    DeviceRemovedException gone(String step) {
        return new DeviceRemovedException(step, server + " (" + endpoint.end()
                + (endpoint.isSilent() ? "; to a slow server grant more: --device-timeout" : "") + ")");
    }

    /** Answers the server's commands until the connection ends. */
    void answerCommands() {
        try {
            endpoint.take();
        } catch (Disconnected e) {
            // whoever needs the device finds out by himself
        }
    }

    /** Waits until the server closes the connection, or this side does. */
    void awaitEnd() {
        try {
            endpoint.socket().awaitHangUp(-1);
        } catch (NativeException | IllegalStateException e) {
            // closed before it was watched
        }
        if (clock != null) {
            clock.end();
        }
    }

    @Override
    public void close() {
        closed = true;
        endpoint.close();
        if (clock != null) {
            clock.close();
        }
    }

    @Override
    public String toString() {
        return server;
    }
}
