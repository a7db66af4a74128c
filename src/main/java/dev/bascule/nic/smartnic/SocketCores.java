package dev.bascule.nic.smartnic;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Iova;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixSocket;
import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.Window;
import dev.bascule.ring.Doorbell;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The region of a card that another process serves; its memory is mapped here, DMA and interrupts go by message. */
final class SocketCores implements CardCores {
    private static final long PATIENCE_MILLIS = 5_000;

    private final UnixSocket socket;
    private final String name;
    private final EventFd doorbell;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final MemorySegment request = arena.allocate(CoresFormat.MOST_BYTES, 8);
    private final MemorySegment answer = arena.allocate(CoresFormat.MOST_BYTES, 8);
    private long reads;

    private SocketCores(UnixSocket socket, String name, Fd file, EventFd doorbell, MemorySegment hello) {
        this.socket = socket;
        this.name = name;
        this.doorbell = doorbell;
        try (file) {
            memory = Libc.map(arena, word(hello, 3), Linux.PROT_READ | Linux.PROT_WRITE, Linux.MAP_SHARED, file,
                    word(hello, 2), name);
        }
    }

    static SocketCores connect(String path) {
        UnixSocket socket = null;
        try {
            socket = UnixSocket.connect(Path.of(path), UnixSocket.Type.MESSAGES);
            return greeted(socket, path);
        } catch (NativeException | IllegalArgumentException | IllegalStateException e) {
            if (socket != null) {
                socket.close();
            }
            throw new DeviceException("reach the card's memory", path, String.valueOf(e.getMessage()),
                    "start what serves the card, such as bascule serve --device smartnic --cores " + path, e);
        }
    }

    private static SocketCores greeted(UnixSocket socket, String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment hello = arena.allocate(CoresFormat.MOST_BYTES, 8);
            socket.send(arena.allocateFrom(CoresFormat.WORD, CoresFormat.MARK, CoresFormat.VERSION));
            UnixSocket.Received received = socket.receive(hello, 2, PATIENCE_MILLIS);
            if (received.bytes() == CoresFormat.HELLO_WORDS * Long.BYTES && received.descriptors().size() == 2
                    && word(hello, 0) == CoresFormat.MARK && word(hello, 1) == CoresFormat.VERSION) {
                return new SocketCores(socket, path, received.descriptors().get(0),
                        EventFd.of(received.descriptors().get(1)), hello);
            }
            received.descriptors().forEach(Fd::close);
            socket.close();
            throw new DeviceFormatException("reach the card's memory", path, received.bytes() < 0
                    ? "nothing came in 5 s"
                    : "what came is no greeting of version " + CoresFormat.VERSION,
                    "name the socket of bascule serve --cores, of the same version");
        }
    }

    private static long word(MemorySegment message, int index) {
        return message.getAtIndex(CoresFormat.WORD, index);
    }

    @Override
    public long sizeBytes() {
        return memory.byteSize();
    }

    @Override
    public Window memory() {
        return new DirectWindow(memory);
    }

    @Override
    public Window hostMemory(Iova iova, long lengthBytes) {
        return new DmaLineWindow(this, iova, lengthBytes);
    }

    @Override
    public Doorbell interrupt(long host) {
        return vector -> post(CoresFormat.RAISE, vector, 0, 0);
    }

    @Override
    public boolean awaitDoorbell(long timeoutNanos) {
        return doorbell.await(TimeUnit.NANOSECONDS.toMillis(timeoutNanos)) > 0;
    }

    /** One word to host memory. */
    synchronized void write(long address, long value) {
        request.setAtIndex(CoresFormat.WORD, CoresFormat.HEAD_WORDS, value);
        post(CoresFormat.WRITE, 0, address, Long.BYTES);
    }

    /** One line to host memory. */
    synchronized void write(long address, long[] from, int at) {
        for (int i = 0; i < 8; i++) {
            request.setAtIndex(CoresFormat.WORD, CoresFormat.HEAD_WORDS + i, from[at + i]);
        }
        post(CoresFormat.WRITE, 0, address, CoresFormat.DATA_BYTES);
    }

    private synchronized void post(long operation, long number, long address, long bytes) {
        request.setAtIndex(CoresFormat.WORD, 0, operation);
        request.setAtIndex(CoresFormat.WORD, 1, number);
        request.setAtIndex(CoresFormat.WORD, 2, address);
        request.setAtIndex(CoresFormat.WORD, 3, bytes);
        long data = operation == CoresFormat.WRITE || operation == CoresFormat.COMPARE_AND_SWAP ? bytes : 0;
        try {
            socket.fd().write(request.asSlice(0, CoresFormat.HEAD_WORDS * Long.BYTES + data));
        } catch (NativeException | IllegalStateException e) {
            throw gone();
        }
    }

    /** An AtomicOp on host memory: what was there, or -1 if it was refused. */
    synchronized long compareAndSwap(long address, long expected, long next) {
        long number = ++reads;
        request.setAtIndex(CoresFormat.WORD, CoresFormat.HEAD_WORDS, expected);
        request.setAtIndex(CoresFormat.WORD, CoresFormat.HEAD_WORDS + 1L, next);
        post(CoresFormat.COMPARE_AND_SWAP, number, address, 2L * Long.BYTES);
        await(CoresFormat.COMPARE_AND_SWAP, number);
        return word(answer, 2) == 1 ? word(answer, CoresFormat.HEAD_WORDS) : -1;
    }

    /** One line of host memory; whether the host let it be read. */
    synchronized boolean read(long address, long[] into, int at) {
        long number = ++reads;
        post(CoresFormat.READ, number, address, CoresFormat.DATA_BYTES);
        await(CoresFormat.READ, number);
        for (int i = 0; i < 8; i++) {
            into[at + i] = word(answer, CoresFormat.HEAD_WORDS + i);
        }
        return word(answer, 2) == 1;
    }

    private void await(long operation, long number) {
        long bytes;
        try {
            bytes = socket.fd().read(answer);
        } catch (NativeException | IllegalStateException e) {
            throw gone();
        }
        if (bytes < (long) CoresFormat.HEAD_WORDS * Long.BYTES) {
            throw gone();
        }
        if (word(answer, 0) != operation || word(answer, 1) != number) {
            throw new DeviceFormatException("read host memory", name, "the answer is to another question",
                    "start what serves the card again");
        }
    }

    private DeviceRemovedException gone() {
        return new DeviceRemovedException("reach host memory", "card at " + name);
    }

    @Override
    public String toString() {
        return "card at " + name;
    }

    @Override
    public void close() {
        socket.close();
        doorbell.close();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
