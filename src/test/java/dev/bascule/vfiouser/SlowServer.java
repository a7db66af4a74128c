package dev.bascule.vfiouser;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixListener;
import dev.bascule.ffi.UnixSocket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A relay that makes a slow simulator of a server: it offers a clock, which moves as the test says, and holds answers back
 * while it is told to. The server behind it knows nothing of that.
 */
public final class SlowServer implements AutoCloseable {
    private static final int HEADER = 16;
    private static final int MOST_DESCRIPTORS = 253;
    private static final int VERSION = 1;
    private static final int CLOCK_OFFSET = 4096;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final Arena arena = Arena.ofShared();
    private final Fd file = Libc.memfd("slow-clock", 0);
    private final MemorySegment page;
    private final UnixListener listener;
    private final List<Thread> threads = new ArrayList<>();
    private final @Nullable String clock;
    private volatile boolean held;
    private volatile int heldAfterBytes;
    private volatile boolean holding;
    private volatile boolean running;
    private volatile boolean closed;
    private volatile boolean asked;

    private SlowServer(Path right, Path path, @Nullable String clock) {
        this.clock = clock;
        file.truncate(2L * CLOCK_OFFSET);
        page = Libc.map(arena, 2L * CLOCK_OFFSET, Linux.PROT_READ | Linux.PROT_WRITE, Linux.MAP_SHARED, file, 0,
                "clock");
        listener = UnixListener.listen(path, UnixSocket.Type.STREAM);
        threads.add(Thread.ofPlatform().daemon().start(() -> relay(right)));
        threads.add(Thread.ofPlatform().daemon().start(this::run));
    }

    /** In front of the server at {@code right}, to be reached at {@code path}. */
    public static SlowServer before(Path right, Path path) {
        return new SlowServer(right, path, "{\"offset\":" + CLOCK_OFFSET + "}");
    }

    /** One that says this of its clock, and sends no file with it if {@code clock} is null. */
    static SlowServer saying(Path right, Path path, @Nullable String clock) {
        return new SlowServer(right, path, clock);
    }

    /** Whether the client asked for a clock. */
    boolean isAsked() {
        return asked;
    }

    /** Nanoseconds that the device has run. */
    public long time() {
        return (long) LONG.getAcquire(page, (long) CLOCK_OFFSET);
    }

    /** Moves the device's time on. */
    public void advance(long nanos) {
        LONG.getAndAdd(page, (long) CLOCK_OFFSET, nanos);
    }

    /** Lets the device run, a thousand times slower than the wall clock, or stand still. */
    public void setRunning(boolean runs) {
        running = runs;
    }

    /** Whether answers wait in the server. */
    void setHeld(boolean holds) {
        held = holds;
    }

    /** How many bytes of an answer have left when it is held back. */
    void setHeldAfter(int bytes) {
        heldAfterBytes = bytes;
    }

    /** Whether an answer is held back just now. */
    boolean isHolding() {
        return holding;
    }

    /** Cuts the file that the clock is in. */
    void cutClock() {
        file.truncate(0);
    }

    private void run() {
        long before = System.nanoTime();
        while (!closed) {
            LockSupport.parkNanos(1_000_000);
            long now = System.nanoTime();
            if (running) {
                advance((now - before) / 1000);
            }
            before = now;
        }
    }

    private void relay(Path right) {
        try {
            UnixSocket client = listener.accept(20_000);
            if (client == null) {
                return;
            }
            UnixSocket server = UnixSocket.connect(right, UnixSocket.Type.STREAM);
            Thread up = Thread.ofPlatform().daemon().start(() -> copy(client, server, false));
            copy(server, client, true);
            up.join();
        } catch (NativeException | IllegalStateException | InterruptedException e) {
            // it is over
        }
    }

    private void copy(UnixSocket from, UnixSocket to, boolean down) {
        List<Fd> files = new ArrayList<>();
        try {
            for (byte[] whole = message(from, files); whole.length >= HEADER; whole = message(from, files)) {
                boolean isVersion = whole[2] == VERSION;
                asked |= isVersion && !down && text(whole).contains("\"bascule_clock\":true");
                int first = down && held ? heldAfterBytes : 0;
                send(to, Arrays.copyOf(whole, first), first == 0 ? List.of() : files);
                while (down && held && !closed) {
                    holding = true;
                    LockSupport.parkNanos(1_000_000);
                }
                holding = false;
                if (isVersion && down) {
                    offer(to, whole);
                } else {
                    send(to, Arrays.copyOfRange(whole, first, whole.length), first == 0 ? files : List.of());
                }
                files.forEach(Fd::close);
                files.clear();
            }
        } catch (NativeException | IllegalStateException e) {
            // one of them has gone
        } finally {
            files.forEach(Fd::close);
            from.close();
            to.close();
        }
    }

    private static String text(byte[] message) {
        return new String(message, HEADER + 4, message.length - HEADER - 5, StandardCharsets.UTF_8);
    }

    private void offer(UnixSocket to, byte[] version) {
        String said = clock == null ? "" : "\"bascule_clock\":" + clock + ",";
        byte[] json = text(version).replaceFirst("\\{\"capabilities\":\\{", "$0" + said)
                .getBytes(StandardCharsets.UTF_8);
        byte[] whole = Arrays.copyOf(version, HEADER + 4 + json.length + 1);
        Arrays.fill(whole, HEADER + 4, whole.length, (byte) 0);
        System.arraycopy(json, 0, whole, HEADER + 4, json.length);
        ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).putInt(4, whole.length);
        send(to, whole, clock == null || clock.contains("unsent") ? List.of() : List.of(file));
    }

    private static void send(UnixSocket to, byte[] bytes, List<Fd> files) {
        if (bytes.length == 0) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            to.send(arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), files);
        }
    }

    private static byte[] message(UnixSocket from, List<Fd> files) {
        byte[] head = exactly(from, HEADER, files);
        if (head.length < HEADER) {
            return head;
        }
        byte[] body = exactly(from, ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getInt(4) - HEADER, files);
        byte[] whole = Arrays.copyOf(head, HEADER + body.length);
        System.arraycopy(body, 0, whole, HEADER, body.length);
        return whole;
    }

    private static byte[] exactly(UnixSocket from, int bytes, List<Fd> files) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(Math.max(1, bytes), 8);
            int have = 0;
            while (have < bytes) {
                UnixSocket.Received received = from.receive(buffer.asSlice(have, bytes - have), MOST_DESCRIPTORS, -1);
                files.addAll(received.descriptors());
                if (received.bytes() <= 0) {
                    return new byte[0];
                }
                have += received.bytes();
            }
            return buffer.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Override
    public void close() throws InterruptedException {
        closed = true;
        listener.close();
        for (Thread thread : threads) {
            thread.join();
        }
        file.close();
        arena.close();
    }
}
