package dev.bascule.model.ivshmem;

import dev.bascule.ffi.Door;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixListener;
import dev.bascule.ffi.UnixSocket;
import dev.bascule.memory.SharedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/**
 * Where ivshmem-doorbell devices of several virtual machines meet: hands out the memory, numbers the peers, and passes
 * their eventfds on. QEMU's own server is not packaged.
 * <p>
 * Protocol: 8-byte little-endian numbers on a stream socket, some with a descriptor. A new peer gets version 0, its
 * number, -1 with the memory, then for each vector of each peer, its own last, the peer's number with an eventfd; the
 * others get those of the new one. A number without a descriptor says that the peer has left. Source: QEMU
 * documentation, "Device Specification for Inter-VM shared memory", section "Client-Server protocol".
 */
public final class IvshmemServer implements AutoCloseable {
    private static final long VERSION = 0;
    /** A new peer is told of all vectors of all others at once, which must fit into what a socket holds unread. */
    private static final int MOST_PEERS = 12;
    private static final int MOST_VECTORS = 16;
    private static final Door.Bounds BOUNDS = Door.Bounds.of(MOST_PEERS, 5_000);
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Door<UnixSocket> door;
    private final SharedMemory memory;
    private final int vectors;
    private final Map<Integer, Peer> peers = new TreeMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    private record Peer(UnixSocket socket, List<EventFd> eventFds) {}

    /**
     * Serves at a socket that must not exist yet.
     *
     * @param memoryBytes size of the shared memory, a power of two
     * @param vectors interrupts of each peer; the same number must be given to QEMU
     */
    public IvshmemServer(Path socket, long memoryBytes, int vectors) {
        if (Long.bitCount(memoryBytes) != 1 || vectors < 1 || vectors > MOST_VECTORS) {
            throw new IllegalArgumentException("memory of " + memoryBytes + " bytes with " + vectors
                    + " vectors; a power of two and 1 to " + MOST_VECTORS);
        }
        this.vectors = vectors;
        this.memory = SharedMemory.create("ivshmem", memoryBytes);
        this.door = Door.open("ivshmem peer", UnixListener.listen(socket, UnixSocket.Type.STREAM), BOUNDS,
                this::serve);
    }

    private void serve(Door.Guest<UnixSocket> guest) {
        UnixSocket socket = guest.socket();
        int number = admit(socket);
        try (Arena arena = Arena.ofConfined()) {
            guest.greeted();
            MemorySegment nothing = arena.allocate(8);
            while (socket.receive(nothing, 0, -1).bytes() > 0) {
                Thread.onSpinWait(); // peers have nothing to say
            }
        } finally {
            dismiss(number);
        }
    }

    private synchronized int admit(UnixSocket socket) {
        int number = 0;
        while (peers.containsKey(number)) {
            number++;
        }
        List<EventFd> own = new ArrayList<>();
        try {
            for (int i = 0; i < vectors; i++) {
                own.add(EventFd.create());
            }
            introduce(socket, number, own);
        } catch (NativeException | IllegalStateException e) {
            own.forEach(EventFd::close);
            throw e;
        }
        peers.put(number, new Peer(socket, own));
        return number;
    }

    private void introduce(UnixSocket socket, int number, List<EventFd> own) {
        send(socket, VERSION, List.of());
        send(socket, number, List.of());
        send(socket, -1, List.of(Fd.adopt(memory.fileDescriptor(), "ivshmem memory")));
        peers.forEach((other, peer) -> announce(socket, other, peer.eventFds));
        announce(socket, number, own);
        peers.values().forEach(peer -> announce(peer.socket, number, own));
    }

    private static void announce(UnixSocket to, int number, List<EventFd> eventFds) {
        try {
            for (EventFd eventFd : eventFds) {
                send(to, number, List.of(eventFd.fd()));
            }
        } catch (NativeException | IllegalStateException e) {
            return; // it is leaving; its own thread sees to that
        }
    }

    private synchronized void dismiss(int number) {
        Peer left = peers.remove(number);
        if (left == null) {
            return;
        }
        left.eventFds.forEach(EventFd::close);
        for (Peer other : peers.values()) {
            try {
                send(other.socket, number, List.of());
            } catch (NativeException | IllegalStateException e) {
                // leaving too
            }
        }
    }

    /** One that reads nothing any more is closed: nobody waits for it. */
    private static void send(UnixSocket to, long number, List<Fd> descriptors) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(8, 8);
            word.set(WORD, 0, number);
            if (!to.offer(word, descriptors)) {
                to.close();
            }
        }
    }

    /** Peers connected now. */
    public synchronized int peerCount() {
        return peers.size();
    }

    @Override
    public void close() {
        door.closeAndWait();
        memory.close();
        closed.countDown();
    }

    /** Runs a server until it is killed: {@code --socket FILE --size-mib N --vectors N}. */
    public static void main(String[] arguments) throws InterruptedException {
        Map<String, String> options = new TreeMap<>();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            options.put(arguments[i], arguments[i + 1]);
        }
        String socket = options.get("--socket");
        if (socket == null) {
            throw new IllegalArgumentException("--socket FILE is missing");
        }
        IvshmemServer server = new IvshmemServer(Path.of(socket),
                Long.parseLong(options.getOrDefault("--size-mib", "16")) << 20,
                Integer.parseInt(options.getOrDefault("--vectors", "8")));
        server.closed.await();
    }
}
