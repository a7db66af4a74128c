package dev.bascule.rdma;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.OwnThread;
import dev.bascule.ffi.Verbs;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.Window;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An agent's copy of a mirrored region, and its connection to the host that called it. When the connection breaks, nothing
 * of the host's comes any more, and whoever asked for it is told.
 * <p>
 * Thread rule: the control path's thread; windows and bells are one thread's, the agent's.
 */
public final class MirrorAgent implements AutoCloseable {
    /** The copy comes between the last two frames. */
    private static final int COPY_MILLIS = 40_000;

    /** Instead of a transport's name: whichever the host uses. */
    public static final String ANY = "any";

    private final Mirror mirror;
    private final LinkEnds ends;
    private final String host;
    private final MirrorWriter writer;
    private final NotificationRing notifications;
    private final Thread watch;

    /**
     * Settings of an agent that do not change.
     *
     * @param sysfs normally {@code /sys}
     * @param transport name of the transport, which the host must speak; {@link #ANY}: whichever it does
     * @param number which agent of the enclave this is
     */
    public record Setup(Path sysfs, RdmaOptions options, Credentials credentials, String transport, int number) {}

    private MirrorAgent(Mirror mirror, LinkEnds ends, String host, Consumer<Window> lost) {
        this.mirror = mirror;
        this.ends = ends;
        this.host = host;
        writer = mirror.writer();
        notifications = new NotificationRing(mirror, ends.link());
        writer.behindFences(notifications::ringKept);
        PinnedWindow nic = new PinnedWindow(mirror.memory().slice(mirror.shape().nicAt(), mirror.shape().nicBytes()));
        watch = OwnThread.of("bascule RDMA link", () -> {
            ends.exchange().awaitEnd();
            ends.link().fail("its side has ended");
            ends.close();
            lost.accept(nic);
        }, e -> lost.accept(nic));
        watch.start();
    }

    /**
     * Answers a host that has called.
     *
     * @param file for the copy; one that a former host filled is kept until this one has, which fills another file,
     *     with {@code .new} behind its name
     * @param lost is told when the host has gone, with the own copy of NIC memory, which nobody else writes by then
     * @throws DeviceException if the host is not the one expected or speaks another transport, or there is no such device
     */
    public static MirrorAgent answer(Verbs verbs, Setup setup, Socket socket, Path file, Consumer<Window> lost)
            throws IOException {
        try {
            return answer(verbs, setup, new Exchange(socket, setup.credentials(), false), file, lost);
        } catch (IOException | RuntimeException e) {
            socket.close(); // the host need not wait
            throw e;
        }
    }

    /**
     * Waits for the host to call at the listener, greets whoever calls meanwhile, and answers; otherwise as above.
     *
     * @param millis how long nobody may have called; a {@link java.net.SocketTimeoutException} after that
     */
    public static MirrorAgent answer(Verbs verbs, Setup setup, ServerSocket listener, long millis, Path file,
            Consumer<Window> lost) throws IOException {
        Exchange exchange;
        try (AgentDoor door = new AgentDoor(listener, setup.credentials())) {
            exchange = door.await(millis);
        }
        try {
            return answer(verbs, setup, exchange, file, lost);
        } catch (IOException | RuntimeException e) {
            exchange.close(); // the host need not wait
            throw e;
        }
    }

    private static MirrorAgent answer(Verbs verbs, Setup setup, Exchange exchange, Path file, Consumer<Window> lost)
            throws IOException {
        Frames.Offer offer = Frames.Offer.readFrom(exchange.expect(Frames.OFFER));
        if (!setup.transport().equals(ANY) && !offer.transport().equals(setup.transport())) {
            exchange.refuse("this agent speaks " + setup.transport() + ", not " + offer.transport());
            throw exchange.problem("its host uses transport " + offer.transport() + ", this agent "
                    + setup.transport(), "start the agent with --transport " + offer.transport());
        }
        boolean holdsCopy = Files.exists(file) && Files.size(file) == offer.shape().totalBytes();
        boolean isRead = holdsCopy && !offer.fills();
        Mirror mirror = isRead ? Mirror.open(file, offer.shape()) : create(beside(file), offer.shape());
        try {
            LinkEnds ends = connect(verbs, setup, exchange, mirror, holdsCopy, isRead ? null : file);
            return new MirrorAgent(mirror, ends, exchange.peer(), lost);
        } catch (IOException | RuntimeException e) {
            if (!isRead) {
                mirror.unlink();
            }
            mirror.close();
            exchange.refuse(String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private static Path beside(Path file) {
        return file.resolveSibling(file.getFileName() + ".new");
    }

    private static Mirror create(Path file, MirrorShape shape) throws IOException {
        Files.deleteIfExists(file); // of an agent that was killed before its copy was whole
        return Mirror.create(file, shape);
    }

    /** The copy is whole when this returns, and has its name. */
    private static LinkEnds connect(Verbs verbs, Setup setup, Exchange exchange, Mirror mirror, boolean holdsCopy,
            @Nullable Path name) throws IOException {
        RdmaDevice device = RdmaDevice.open(verbs,
                RdmaPorts.choose(setup.sysfs(), setup.options(), exchange.socket().getLocalAddress()));
        MirrorLink link;
        try {
            link = MirrorLink.open(device, mirror, setup.options(), setup.number(), false);
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
        LinkEnds ends = new LinkEnds(exchange, device, link, null);
        try {
            exchange.send(Frames.REPLY, new Frames.Reply(setup.number(), holdsCopy, link.address())::writeTo);
            DataInputStream in = exchange.expect(Frames.CONNECT);
            link.connect(PeerAddress.readFrom(in));
            exchange.send(Frames.CONNECTED, to -> {});
            exchange.expect(Frames.READY, COPY_MILLIS);
            if (name != null) {
                mirror.rename(name);
            }
            mirror.join(link);
            return ends;
        } catch (IOException | RuntimeException e) {
            ends.close();
            throw e;
        }
    }

    /** The host's name. */
    public String host() {
        return host;
    }

    /** NIC memory, for the agent's thread. */
    public Window nicMemory() {
        return mirror.nicMemory(writer);
    }

    /** Host memory, of which the shared part is the host's, for the agent's thread. */
    public Window hostMemory() {
        return mirror.hostMemory(writer);
    }

    /** Rings for a CPU of the host. Never waits. */
    public void ring(long cpu) {
        notifications.ring(cpu);
    }

    /** Removes the file of the copy. */
    public void unlink() {
        mirror.unlink();
    }

    @Override
    public void close() {
        ends.link().settle(); // that it leaves is the last that the host hears
        ends.exchange().close();
        boolean interrupted = false;
        while (watch.isAlive()) {
            try {
                watch.join();
            } catch (InterruptedException e) {
                interrupted = true; // it must not use the memory any more when this returns
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        mirror.close();
    }
}
