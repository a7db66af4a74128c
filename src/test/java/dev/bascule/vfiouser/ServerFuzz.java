package dev.bascule.vfiouser;

import dev.bascule.device.ProbeModel;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixSocket;
import dev.bascule.memory.SharedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A client that mixes right, nearly right and wrong messages; one seed gives one sequence of bytes. */
final class ServerFuzz {
    private static final int[] COMMANDS = { 2, 2, 3, 4, 5, 6, 7, 8, 8, 9, 9, 10, 10, 10, 13, 15, 16, 11, 12, 0, 99 };
    private static final int MESSAGES = 60;

    private final Random random;
    private final SharedMemory memory;
    private final EventFd event;

    ServerFuzz(long seed, SharedMemory memory, EventFd event) {
        this.random = new Random(seed);
        this.memory = memory;
        this.event = event;
    }

    /** One client's life. */
    void run(Path path) {
        try (UnixSocket socket = UnixSocket.connect(path, UnixSocket.Type.STREAM); Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(1 << 16, 8);
            if (random.nextInt(8) != 0) {
                send(arena, socket, message(1, RawClient.body().putInt(random.nextInt(4) == 0 ? 1 << 16 : 0)
                        .put("{\"capabilities\":{\"write_multiple\":true}}".getBytes()).put((byte) 0), 0));
            }
            for (int i = random.nextInt(MESSAGES); i >= 0; i--) {
                byte[] message = message();
                int cut = random.nextInt(50) == 0 ? 1 + random.nextInt(message.length) : message.length;
                send(arena, socket, java.util.Arrays.copyOf(message, cut));
                if (random.nextInt(4) == 0) {
                    drain(socket, buffer);
                }
                if (cut < message.length) {
                    return; // vanished in mid-message
                }
            }
            drain(socket, buffer);
        } catch (NativeException | IllegalStateException e) {
            // the server closed the connection: that is its answer to some of this
        }
    }

    private void send(Arena arena, UnixSocket socket, byte[] bytes) {
        List<Fd> descriptors = new ArrayList<>();
        for (int i = random.nextInt(6) == 0 ? random.nextInt(4) : 0; i > 0; i--) {
            descriptors.add(random.nextBoolean() ? Fd.adopt(memory.fileDescriptor(), "memory") : event.fd());
        }
        socket.send(arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), descriptors);
    }

    private static void drain(UnixSocket socket, MemorySegment buffer) {
        UnixSocket.Received received;
        do {
            received = socket.receive(buffer, 253, 0);
            received.descriptors().forEach(Fd::close);
        } while (received.bytes() > 0);
    }

    private byte[] message() {
        int command = COMMANDS[random.nextInt(COMMANDS.length)];
        ByteBuffer body = random.nextInt(5) == 0 ? noise() : plausible(command);
        byte[] whole = message(command, body, random.nextInt(3) == 0 ? 0x10 : 0);
        for (int i = random.nextInt(12) - 8; i > 0; i--) {
            whole[random.nextInt(whole.length)] = (byte) random.nextInt();
        }
        if (random.nextInt(40) == 0) {
            ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).putInt(4, random.nextInt());
        }
        return whole;
    }

    private static byte[] message(int command, ByteBuffer body, int flags) {
        return RawClient.message(7, command, 16 + body.position(), flags,
                java.util.Arrays.copyOf(body.array(), body.position()));
    }

    private ByteBuffer noise() {
        byte[] bytes = new byte[random.nextInt(80)];
        random.nextBytes(bytes);
        return ByteBuffer.allocate(4096).put(bytes);
    }

    private ByteBuffer plausible(int command) {
        ByteBuffer body = ByteBuffer.allocate(1 << 14).order(ByteOrder.LITTLE_ENDIAN);
        long page = 4096L * random.nextInt(16);
        switch (command) {
            case 2 -> body.putInt(32).putInt(random.nextInt(4)).putLong(4096L * random.nextInt(4)).putLong(page)
                    .putLong(4096L * random.nextInt(6));
            case 3 -> body.putInt(24).putInt(random.nextInt(8) == 0 ? 2 : 0).putLong(page)
                    .putLong(4096L * random.nextInt(8));
            case 5, 6 -> body.putInt(random.nextInt(100)).putInt(0).putInt(random.nextInt(11)).putInt(0).putLong(0)
                    .putLong(0);
            case 4, 7 -> body.putInt(16).putInt(0).putInt(random.nextInt(6)).putInt(0);
            case 8 -> {
                int count = random.nextInt(4);
                body.putInt(20 + random.nextInt(2) * count).putInt(1 << random.nextInt(3) | 8 << random.nextInt(3))
                        .putInt(random.nextInt(6)).putInt(random.nextInt(5)).putInt(count);
                for (int i = random.nextInt(2) * count; i > 0; i--) {
                    body.put((byte) random.nextInt(2));
                }
            }
            case 9 -> access(body, 1 + random.nextInt(64));
            case 10 -> {
                int count = 1 << random.nextInt(4);
                access(body, count);
                body.position(body.position() + count - (random.nextInt(10) == 0 ? 1 : 0));
            }
            case 15 -> {
                int count = random.nextInt(5);
                body.putLong(count);
                for (int i = 0; i < count; i++) {
                    access(body, 1 + random.nextInt(8));
                    body.putLong(random.nextLong());
                }
            }
            default -> body.putLong(page).putLong(random.nextInt(100));
        }
        return body;
    }

    private void access(ByteBuffer body, int count) {
        long[] places = { random.nextInt(4096), 8L * random.nextInt(50), ProbeModel.RAISE, ProbeModel.PIN,
                ProbeModel.COPY, ProbeModel.SOURCE, ProbeModel.LENGTH, ProbeModel.TABLE + 4L * random.nextInt(16), 4,
                random.nextLong() };
        body.putLong(places[random.nextInt(places.length)]).putInt(random.nextInt(3) == 0 ? 7 : random.nextInt(9))
                .putInt(count);
    }
}
