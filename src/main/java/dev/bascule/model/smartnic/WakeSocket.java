package dev.bascule.model.smartnic;

import dev.bascule.ffi.Door;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixListener;
import dev.bascule.ffi.UnixSocket;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The socket of a run directory through which a NIC process gets the eventfds of all signals: one message of two 8-byte
 * words, mark and region id, with the descriptors, in answer to the mark. Where it cannot be made or reached, both sides poll.
 */
final class WakeSocket implements AutoCloseable {
    static final String FILE = "signals.sock";

    private static final System.Logger LOG = System.getLogger(WakeSocket.class.getName());
    private static final long MARK = 0x314b_4157_4353_4142L; // "BASCWAK1"
    private static final int COUNT = 2 * SmartNicRegion.SIGNALS;
    private static final long TIMEOUT_MILLIS = 2_000;
    private static final Door.Bounds BOUNDS = Door.Bounds.ownUser(16, TIMEOUT_MILLIS);

    private final Door<UnixSocket> door;
    private final List<EventFd> eventFds;
    private final long regionId;

    private WakeSocket(UnixListener listener, List<EventFd> eventFds, long regionId) {
        this.eventFds = eventFds;
        this.regionId = regionId;
        this.door = Door.open("smartnic signals", listener, BOUNDS, this::greet);
    }

    /** The host's side: wakers by eventfd, given to every NIC process of the same user that connects. */
    static Wakers serve(Path directory, long regionId) {
        List<EventFd> eventFds = new ArrayList<>();
        try {
            for (int i = 0; i < COUNT; i++) {
                eventFds.add(EventFd.create());
            }
            WakeSocket socket = new WakeSocket(
                    UnixListener.listen(directory.resolve(FILE), UnixSocket.Type.MESSAGES), eventFds, regionId);
            return Wakers.eventFds(eventFds, socket);
        } catch (NativeException | IllegalArgumentException e) {
            LOG.log(Level.WARNING, "signals are polled, not waited for: " + e.getMessage());
            eventFds.forEach(EventFd::close);
            return Wakers.polling();
        }
    }

    private void greet(Door.Guest<UnixSocket> guest) {
        UnixSocket peer = guest.socket();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment asked = arena.allocate(Long.BYTES, 8);
            if (peer.receive(asked, 0, -1).bytes() == Long.BYTES && asked.get(ValueLayout.JAVA_LONG, 0) == MARK) {
                MemorySegment hello = arena.allocateFrom(ValueLayout.JAVA_LONG, MARK, regionId);
                peer.send(hello, eventFds.stream().map(EventFd::fd).toList());
            }
        }
    }

    /** The NIC's side: wakers by the host's eventfds, or polling when the host offers none. */
    static Wakers connect(Path directory, long regionId) {
        try (UnixSocket socket = UnixSocket.connect(directory.resolve(FILE), UnixSocket.Type.MESSAGES);
                Arena arena = Arena.ofConfined()) {
            socket.send(arena.allocateFrom(ValueLayout.JAVA_LONG, MARK));
            MemorySegment hello = arena.allocate(16, 8);
            UnixSocket.Received received = socket.receive(hello, COUNT, TIMEOUT_MILLIS);
            List<Fd> descriptors = received.descriptors();
            if (received.bytes() == 16 && descriptors.size() == COUNT && hello.get(ValueLayout.JAVA_LONG, 0) == MARK
                    && hello.get(ValueLayout.JAVA_LONG, 8) == regionId) {
                return Wakers.eventFds(descriptors.stream().map(EventFd::of).toList(), null);
            }
            descriptors.forEach(Fd::close);
        } catch (NativeException | IllegalArgumentException | IllegalStateException e) {
            LOG.log(Level.DEBUG, "signals are polled: " + e.getMessage());
        }
        return Wakers.polling();
    }

    @Override
    public void close() {
        door.close();
    }

    /** Wakes through an eventfd. A wake that got lost (the peer is of an earlier attachment) costs one nap at most. */
    static final class Waking implements Waker {
        private static final long NAP_NANOS = 10_000_000;
        private static final long MILLI = 1_000_000;

        private final EventFd eventFd;
        private final Waker brief = new Poll();

        Waking(EventFd eventFd) {
            this.eventFd = eventFd;
        }

        @Override
        public void wake() {
            eventFd.signal();
        }

        @Override
        public void block(long nanos) {
            if (nanos < MILLI) {
                brief.block(nanos); // the system call counts in milliseconds
            } else {
                eventFd.await(Math.min(nanos, NAP_NANOS) / MILLI);
            }
        }

        @Override
        public void clear() {
            eventFd.take();
        }

        @Override
        public int eventFd() {
            return eventFd.fd().number();
        }

        @Override
        public void close() {
            eventFd.close();
        }
    }
}
