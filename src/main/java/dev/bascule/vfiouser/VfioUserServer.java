package dev.bascule.vfiouser;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.IommuFault;
import dev.bascule.ffi.Door;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.Patience;
import dev.bascule.ffi.UnixListener;
import dev.bascule.ffi.UnixSocket;
import dev.bascule.vfiouser.ServerEvent.Kind;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Exports a {@link DeviceModel} at a UNIX socket: to QEMU (10.1 or newer, {@code -device vfio-user-pci}), to
 * libvfio-user clients and to {@link VfioUserDevice}. One client at a time; another one is refused with EBUSY. When a
 * client leaves, its memory and eventfds are released and bus mastering ends; the device keeps its other state, and the
 * next client may connect. A connection counts as a client once its first message has arrived, for which it has a
 * second. Nothing that a client sends, omits or truncates ends the server.
 * <p>
 * Thread rule: thread-safe. Events are reported on threads of the server, one at a time.
 */
public final class VfioUserServer implements AutoCloseable {
    private static final Door.Bounds BOUNDS = Door.Bounds.of(16, 1_000);
    /** Less than the door waits: who finds the device taken is told so. */
    private static final long BUSY_MILLIS = 800;

    private final ServedDevice device;
    private final Path path;
    private final Door<UnixSocket> door;
    private final Consumer<ServerEvent> events;
    private final Object state = new Object();
    private @Nullable ServerSession session;
    private @Nullable Thread worker;
    private boolean closed;
    private boolean ended;

    private VfioUserServer(DeviceModel model, Path path, UnixListener listener, Consumer<ServerEvent> events) {
        this.device = new ServedDevice(model);
        this.path = path;
        this.events = events;
        tell(Kind.LISTENING, path.toString());
        model.connect(device);
        this.door = Door.open("bascule-vfio-user", listener, BOUNDS, this::receive);
    }

    /**
     * Serves a model, which becomes the server's, from now on. A socket left behind by a process that died is replaced.
     *
     * @param events receives what happens; must not block
     * @throws DeviceException when somebody listens at the path, or it cannot be created
     */
    public static VfioUserServer serve(DeviceModel model, Path path, Consumer<ServerEvent> events) {
        UnixListener listener;
        try {
            listener = UnixListener.listen(path, UnixSocket.Type.STREAM);
        } catch (NativeException e) {
            throw new DeviceException("serve " + model.name(), path.toString(), e.errnoName(),
                    e.errno() == Errno.EADDRINUSE
                            ? e.remedy().contains("no socket")
                                    ? e.remedy()
                                    : "another process listens there: end it, or choose another path"
                            : "choose a path in a folder where you may create files",
                    e);
        }
        return new VfioUserServer(model, path, listener, events);
    }

    /** Where clients connect. */
    public Path path() {
        return path;
    }

    /** DMA accesses of the device that were refused: not mapped, not allowed, bus mastering off, client gone. */
    public long faultCount() {
        return device.memory().faultCount();
    }

    /** The most recent of them, oldest first. */
    public List<IommuFault> recentFaults() {
        return device.memory().recentFaults();
    }

    /** Message interrupts that went nowhere: not enabled, or no such vector. */
    public long droppedInterrupts() {
        return device.interrupts().dropped();
    }

    /** DMA mappings of the connected client. */
    public int mappings() {
        return device.memory().mappingCount();
    }

    private void receive(Door.Guest<UnixSocket> guest) {
        UnixSocket socket = guest.socket();
        if (!FirstMessage.await(socket)) {
            if (guest.isClosed() && !isClosed()) {
                tell(Kind.TURNED_AWAY, "it did not say who it is in time");
            }
            return;
        }
        guest.again();
        ServerSession admitted = admit(socket);
        if (admitted != null) {
            guest.greeted();
            run(admitted);
        } else if (!isClosed()) {
            turnAway(socket);
        }
    }

    private boolean isClosed() {
        synchronized (state) {
            return closed;
        }
    }

    /** Null if the device does not come free in time, or the server closes. */
    private @Nullable ServerSession admit(UnixSocket socket) {
        Patience patience = new Patience(TimeUnit.MILLISECONDS.toNanos(BUSY_MILLIS));
        synchronized (state) {
            while (session != null && !closed) {
                if (patience.isOver()) {
                    return null;
                }
                await(Math.max(1, TimeUnit.NANOSECONDS.toMillis(patience.left())));
            }
            if (closed) {
                return null;
            }
            session = new ServerSession(device, socket, this::tell);
            worker = Thread.currentThread();
            return session;
        }
    }

    private void await(long millis) {
        try {
            state.wait(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(ServerSession admitted) {
        String reason = "of a bug in the server";
        try {
            reason = admitted.run();
        } catch (RuntimeException | Error e) {
            reason = "of a bug in the server: " + e;
        } finally {
            tell(Kind.DISCONNECTED, reason);
            synchronized (state) {
                session = null;
                worker = null;
                state.notifyAll();
            }
        }
    }

    /** Answers the version message with EBUSY, so that the client can say why. */
    private void turnAway(UnixSocket socket) {
        tell(Kind.TURNED_AWAY, "another client is there");
        try (Endpoint endpoint = new Endpoint(socket, Offer.OURS.maxDescriptors(), null);
                Message message = new Message()) {
            if (new MessageReader(socket, 0).read(message, new Patience(1)) && !message.isReply()) {
                endpoint.refuse(message, Errno.EBUSY);
            }
        } catch (Disconnected e) {
            // it went by itself
        }
    }

    private void tell(Kind kind, String text) {
        tell(new ServerEvent(kind, text));
    }

    private void tell(ServerEvent event) {
        synchronized (events) {
            events.accept(event);
        }
    }

    /** Waits until no client is there. */
    boolean awaitIdle(long timeoutMillis) {
        return door.awaitFewerThan(1, timeoutMillis);
    }

    /** Disconnects the client, removes the socket, closes the model. A second call waits for the first. */
    @Override
    public void close() {
        ServerSession last;
        synchronized (state) {
            if (closed) {
                awaitEnded();
                return;
            }
            closed = true;
            last = session;
            state.notifyAll();
        }
        try {
            end(last);
        } finally {
            synchronized (state) {
                ended = true;
                state.notifyAll();
            }
        }
    }

    private void end(@Nullable ServerSession last) {
        door.close();
        if (last != null) {
            last.close();
        }
        door.closeAndWait();
        device.model().close();
        tell(Kind.STOPPED, path.toString());
    }

    private void awaitEnded() {
        while (!ended && Thread.currentThread() != worker) {
            try {
                state.wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
