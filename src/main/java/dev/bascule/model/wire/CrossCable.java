package dev.bascule.model.wire;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Door;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.OwnThread;
import dev.bascule.ffi.UnixListener;
import dev.bascule.ffi.UnixSocket;
import dev.bascule.memory.SharedMemory;
import dev.bascule.model.FrameRing;
import dev.bascule.model.WireEnd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One end of a cable between two processes that name the same UNIX socket; the first one waits for the other. Frames
 * travel through memory that the first process makes and hands to the second, without a system call. While the other end
 * is missing, frames are lost, as with an unplugged cable; it may reconnect.
 * <p>
 * Thread rule: {@code transmit}, {@code poll} and {@code close} from the thread of the port's device, {@code close} also
 * from any other thread once that one no longer uses it. A thread of the cable makes the connection.
 */
public final class CrossCable implements WireEnd {
    private static final int RING_BYTES = FrameRing.HEADER_BYTES + (1 << 20);
    private static final int MAGIC = 0x6362_6c31;
    private static final int HELLO_BYTES = 8;
    private static final Door.Bounds BOUNDS = Door.Bounds.of(4, 5_000);
    private static final long LOOK_MILLIS = 100;

    /** Both directions of a cable that stands. */
    private record Link(SharedMemory memory, FrameRing out, FrameRing in) {
        static Link of(SharedMemory memory, boolean first) {
            FrameRing one = new FrameRing(memory.segment().asSlice(0, RING_BYTES));
            FrameRing other = new FrameRing(memory.segment().asSlice(RING_BYTES, RING_BYTES));
            return first ? new Link(memory, one, other) : new Link(memory, other, one);
        }
    }

    private final Path path;
    private final Thread connector;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch firstTry = new CountDownLatch(1);
    private volatile @Nullable Link wanted;
    private volatile @Nullable String trouble;
    private @Nullable Link used;

    private CrossCable(Path path) {
        this.path = path;
        this.connector = OwnThread.of("bascule-cable", this::connect);
    }

    /**
     * Plugs one end in. Returns once this end waits for the other or is connected to it.
     *
     * @throws DeviceException when the socket can neither be made nor reached
     */
    public static CrossCable plug(Path path) {
        CrossCable cable = new CrossCable(path);
        cable.connector.start();
        try {
            cable.firstTry.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String trouble = cable.trouble;
        if (trouble != null) {
            cable.close();
            throw new DeviceException("plug in a cable", path.toString(), trouble,
                    "choose a path in a folder where both processes may create files");
        }
        return cable;
    }

    /** Whether the other end is connected. */
    @Override
    public boolean isUp() {
        return wanted != null;
    }

    @Override
    public boolean transmit(byte[] data, int offset, int lengthBytes) {
        Link link = link();
        return link != null && link.out.offer(data, offset, lengthBytes);
    }

    @Override
    public int poll(FrameSink sink, int budget) {
        Link link = link();
        return link == null ? 0 : link.in.poll(sink, budget);
    }

    /** The link that stands now; the memory of an earlier one is released by the thread that used it. */
    private @Nullable Link link() {
        Link now = wanted;
        Link before = used;
        if (now != before) {
            used = now;
            if (before != null) {
                before.memory.close();
            }
        }
        return now;
    }

    private void connect() {
        while (stop.getCount() != 0) {
            try {
                if (!join()) {
                    host();
                }
            } catch (NativeException e) {
                boolean race = e.errno() == Errno.EADDRINUSE && !Files.isRegularFile(path); // both came at once
                report(race ? null : e.errnoName());
            } catch (IllegalStateException e) {
                report(null); // the peer broke off, or sent something else
            } catch (IllegalArgumentException e) {
                report(e.getMessage());
            }
            wanted = null;
            firstTry.countDown();
            pause();
        }
    }

    /**
     * Plugging in fails when the first attempt shows that no later one can succeed; later the other end may yet come.
     */
    private void report(@Nullable String problem) {
        if (problem != null && firstTry.getCount() != 0) {
            trouble = problem;
            stop.countDown();
        }
    }

    /** Whether somebody waited at the socket. Then this returns when the cable is broken. */
    private boolean join() {
        UnixSocket peer;
        try {
            peer = UnixSocket.connect(path, UnixSocket.Type.MESSAGES);
        } catch (NativeException e) {
            if (e.errno() == Errno.ENOENT || e.errno() == Errno.ECONNREFUSED) {
                return false;
            }
            throw e;
        }
        try (peer; Arena arena = Arena.ofConfined()) {
            MemorySegment hello = arena.allocate(HELLO_BYTES, 8);
            hello.set(ValueLayout.JAVA_INT, 0, MAGIC);
            peer.send(hello);
            UnixSocket.Received received = peer.receive(hello, 1, TimeUnit.SECONDS.toMillis(5));
            List<Fd> descriptors = received.descriptors();
            if (received.bytes() == HELLO_BYTES && descriptors.size() == 1
                    && hello.get(ValueLayout.JAVA_INT, 0) == MAGIC) {
                wanted = Link.of(SharedMemory.adopt(descriptors.getFirst().number(), 2L * RING_BYTES), false);
                firstTry.countDown();
                awaitEnd(peer);
            } else {
                descriptors.forEach(Fd::close); // it is not a cable, or has both its ends
            }
        }
        return true;
    }

    private void awaitEnd(UnixSocket peer) {
        while (stop.getCount() != 0 && !peer.awaitHangUp(LOOK_MILLIS)) {
            Thread.onSpinWait();
        }
        wanted = null;
    }

    /** Waits at the socket, for one peer at a time. */
    private void host() {
        AtomicBoolean used = new AtomicBoolean();
        try (Door<UnixSocket> door = Door.open("bascule-cable-end",
                UnixListener.listen(path, UnixSocket.Type.MESSAGES), BOUNDS, guest -> hold(guest, used))) {
            firstTry.countDown();
            stop.await();
            door.closeAndWait();
        } catch (InterruptedException e) {
            stop.countDown();
        }
    }

    /** One that says nothing only looks whether somebody listens. */
    private void hold(Door.Guest<UnixSocket> guest, AtomicBoolean used) {
        UnixSocket peer = guest.socket();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment said = arena.allocate(HELLO_BYTES, 8);
            if (peer.receive(said, 0, -1).bytes() != HELLO_BYTES || said.get(ValueLayout.JAVA_INT, 0) != MAGIC
                    || !used.compareAndSet(false, true)) {
                return;
            }
        }
        try {
            if (greet(peer)) {
                guest.greeted();
                awaitEnd(peer);
            }
        } finally {
            used.set(false);
        }
    }

    private boolean greet(UnixSocket peer) {
        SharedMemory memory = SharedMemory.create("bascule-cable", 2L * RING_BYTES);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment hello = arena.allocate(HELLO_BYTES, 8);
            hello.set(ValueLayout.JAVA_INT, 0, MAGIC);
            peer.send(hello, List.of(Fd.adopt(memory.fileDescriptor(), "cable")));
            wanted = Link.of(memory, true);
            return true;
        } catch (NativeException e) { // it only looked whether somebody listens
            memory.close();
            return false;
        }
    }

    private void pause() {
        try {
            stop.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            stop.countDown();
        }
    }

    @Override
    public void close() {
        stop.countDown();
        boolean interrupted = false;
        while (connector.isAlive() && connector != Thread.currentThread()) {
            try {
                connector.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        Link last = used;
        used = null;
        if (last != null) {
            last.memory.close();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
