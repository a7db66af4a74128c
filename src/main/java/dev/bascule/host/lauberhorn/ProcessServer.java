package dev.bascule.host.lauberhorn;

import dev.bascule.ffi.Door;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.HeldProcess;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixListener;
import dev.bascule.ffi.UnixSocket;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The host's door for processes: each that connects says what it serves, gets its memory and its eventfds, and is a process
 * of the NIC until the connection ends.
 */
final class ProcessServer implements AutoCloseable {
    /** The socket in the host's directory. */
    static final String SOCKET = "lauberhorn.sock";

    private static final System.Logger LOG = System.getLogger(ProcessServer.class.getName());
    private static final int SIGKILL = 9;
    private static final Door.Bounds BOUNDS = Door.Bounds.ownUser(64, 10_000);

    private final LauberhornHost host;
    private final Door<UnixSocket> door;
    private final List<EventFd> cores;

    ProcessServer(LauberhornHost host, Path directory, List<EventFd> cores) {
        this.host = host;
        this.cores = cores;
        door = Door.open("lauberhorn-process",
                UnixListener.listen(directory.resolve(SOCKET), UnixSocket.Type.MESSAGES), BOUNDS, this::serve);
    }

    private void serve(Door.Guest<UnixSocket> guest) {
        UnixSocket peer = guest.socket();
        Greeting.Hello hello;
        try {
            hello = Greeting.readHello(hear(peer));
        } catch (IllegalArgumentException e) {
            say(peer, Greeting.refused(String.valueOf(e.getMessage())), List.of());
            return;
        }
        guest.greeted();
        try (Remote body = new Remote(peer, host.layout().threads())) {
            serve(peer, hello, body);
        }
    }

    private void serve(UnixSocket peer, Greeting.Hello hello, Remote body) {
        RpcProcess process;
        try {
            process = host.remote(hello.name(), hello.services(), body);
        } catch (IllegalArgumentException e) {
            say(peer, Greeting.refused(String.valueOf(e.getMessage())), List.of());
            return;
        }
        try {
            welcome(peer, process, body);
            peer.awaitHangUp(-1);
        } finally {
            host.ended(process); // also if it died before it was told that it is one
        }
    }

    private void welcome(UnixSocket peer, RpcProcess process, Remote body) {
        List<Fd> descriptors = new ArrayList<>(List.of(Fd.adopt(process.memory().descriptor(), "lines")));
        descriptors.addAll(body.descriptors());
        cores.forEach(core -> descriptors.add(core.fd()));
        say(peer, Greeting.welcome(new Greeting.Welcome(process.number(), host.layout(), cores.size(),
                host.config().costs().lineNanos())), descriptors);
    }

    private static String hear(UnixSocket peer) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(Greeting.MOST_BYTES, 8);
            UnixSocket.Received received = peer.receive(buffer, 0, -1);
            if (received.bytes() <= 0) {
                throw new IllegalArgumentException("the process said nothing");
            }
            return new String(buffer.asSlice(0, received.bytes()).toArray(ValueLayout.JAVA_BYTE),
                    StandardCharsets.UTF_8);
        }
    }

    private static void say(UnixSocket peer, String text, List<Fd> descriptors) {
        try (Arena arena = Arena.ofConfined()) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            peer.send(arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), descriptors);
        }
    }

    @Override
    public void close() {
        door.close();
    }

    /** A process of the operating system. */
    private static final class Remote implements RpcProcess.Body, AutoCloseable {
        private final UnixSocket peer;
        /** Null if it has ended already. */
        private final @Nullable HeldProcess held;
        private final List<EventFd> eventFds = new ArrayList<>();
        private final List<Sleeper> sleepers = new ArrayList<>();
        private volatile boolean alive = true;

        Remote(UnixSocket peer, int threads) {
            this.peer = peer;
            held = HeldProcess.open(peer.peer().pid());
            try {
                for (int i = 0; i < threads; i++) {
                    EventFd eventFd = EventFd.create();
                    eventFds.add(eventFd);
                    sleepers.add(new Sleeper.Event(eventFd));
                }
            } catch (NativeException e) {
                close();
                throw e;
            }
        }

        List<Fd> descriptors() {
            return eventFds.stream().map(EventFd::fd).toList();
        }

        @Override
        public Sleeper sleeper(int threadOfProcess) {
            return sleepers.get(threadOfProcess);
        }

        @Override
        public void kill() {
            try {
                if (held != null) {
                    held.signal(SIGKILL);
                }
            } catch (NativeException | IllegalStateException e) {
                LOG.log(Level.DEBUG, "gone already: " + e.getMessage());
            }
        }

        /** It ends when its connection does. */
        @Override
        public void stop() {
            alive = false;
            peer.close();
        }

        @Override
        public boolean isAlive() {
            return alive;
        }

        @Override
        public void close() {
            alive = false;
            if (held != null) {
                held.close();
            }
            eventFds.forEach(EventFd::close);
        }
    }
}
