package dev.bascule.host.lauberhorn;

import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixSocket;
import dev.bascule.model.lauberhorn.LineMemory;
import dev.bascule.ring.IdleStrategy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * This process as one that serves RPCs of a host in another process: joins it, maps the lines that are its own, and runs its
 * threads until the host is gone or {@link #close}.
 * <p>
 * Thread rule: by its owner.
 */
public final class ServiceProcess implements AutoCloseable {
    private static final long WELCOME_MILLIS = 30_000;
    private static final long PATIENCE_NANOS = 10_000_000_000L;

    private final UnixSocket socket;
    private final LineMemory memory;
    private final List<UserThread> threads = new ArrayList<>();
    private final List<Thread> carriers = new ArrayList<>();
    private final List<EventFd> eventFds = new ArrayList<>();
    private final int number;

    private ServiceProcess(UnixSocket socket, LineMemory memory, int number) {
        this.socket = socket;
        this.memory = memory;
        this.number = number;
    }

    /**
     * Joins the host whose directory this is.
     *
     * @throws IllegalArgumentException if it refuses, and says why
     * @throws NativeException if there is none
     */
    public static ServiceProcess join(Path directory, String name, List<JavaService> services,
            Supplier<IdleStrategy> idle) {
        UnixSocket socket = UnixSocket.connect(directory.resolve(ProcessServer.SOCKET), UnixSocket.Type.MESSAGES);
        List<Fd> descriptors = List.of();
        try (Arena arena = Arena.ofConfined()) {
            byte[] hello = Greeting.hello(name, services).getBytes(StandardCharsets.UTF_8);
            socket.send(arena.allocateFrom(ValueLayout.JAVA_BYTE, hello));
            MemorySegment buffer = arena.allocate(Greeting.MOST_BYTES, 8);
            UnixSocket.Received received = socket.receive(buffer, 250, WELCOME_MILLIS);
            descriptors = received.descriptors();
            if (received.bytes() <= 0) {
                throw new IllegalArgumentException("the host in " + directory + " did not answer");
            }
            String text = new String(buffer.asSlice(0, received.bytes()).toArray(ValueLayout.JAVA_BYTE),
                    StandardCharsets.UTF_8);
            Greeting.Welcome welcome = Greeting.readWelcome(text);
            if (descriptors.size() != 1 + welcome.layout().threads() + welcome.cores()) {
                throw new IllegalArgumentException("the host sent " + descriptors.size() + " descriptors for lines, "
                        + welcome.layout().threads() + " threads and " + welcome.cores() + " cores");
            }
            List<Fd> rest = descriptors.subList(1, descriptors.size());
            Fd lines = descriptors.getFirst();
            descriptors = rest; // what is closed here on failure
            LineMemory memory = LineMemory.adopt(lines.number(), welcome.layout(), welcome.lineNanos());
            ServiceProcess process = new ServiceProcess(socket, memory, welcome.number());
            process.start(welcome, rest, RpcProcess.handlers(services), idle);
            return process;
        } catch (RuntimeException e) {
            descriptors.forEach(Fd::close);
            socket.close();
            throw e;
        }
    }

    private void start(Greeting.Welcome welcome, List<Fd> descriptors, RpcHandler[] handlers,
            Supplier<IdleStrategy> idle) {
        List<Sleeper> sleepers = new ArrayList<>();
        for (Fd fd : descriptors) {
            EventFd eventFd = EventFd.of(fd);
            eventFds.add(eventFd);
            sleepers.add(new Sleeper.Event(eventFd));
        }
        int count = welcome.layout().threads();
        for (int i = 0; i < count; i++) {
            UserThread thread = new UserThread(i, number, handlers, memory.cpu(), welcome.layout(), idle.get(),
                    sleepers.get(i), core -> sleepers.get(count + core), PATIENCE_NANOS);
            threads.add(thread);
            carriers.add(Thread.ofPlatform().daemon().name("process-" + number + "-" + i).start(thread));
        }
    }

    /** Number of the process. */
    public int number() {
        return number;
    }

    /** Requests served. */
    public long served() {
        return threads.stream().mapToLong(UserThread::served).sum();
    }

    /** Waits until the host ends this process or is gone; false after the time is over. */
    public boolean awaitEnd(long timeoutMillis) {
        return socket.awaitHangUp(timeoutMillis);
    }

    /** Leaves the host: the request that a thread serves ends first. */
    @Override
    public void close() {
        threads.forEach(UserThread::stop);
        try {
            for (Thread carrier : carriers) {
                carrier.join(2_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        socket.close();
        memory.close();
        eventFds.forEach(EventFd::close);
    }
}
