package dev.bascule.vfiouser;

import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixListener;
import dev.bascule.ffi.UnixSocket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A right server behind a relay that spoils some of what it says to one client: bytes, lengths, header fields,
 * descriptors, order, and commands of its own. One seed, one way of spoiling.
 */
final class BrokenServer implements AutoCloseable {
    private static final int HEADER = 16;
    private static final int MOST_DESCRIPTORS = 253;

    private final Random random;
    private final int oneIn;
    private final UnixListener listener;
    private final Path path;
    private final List<Thread> threads = new ArrayList<>();

    BrokenServer(long seed, Path right, Path path) {
        this.random = new Random(seed);
        this.oneIn = 1 + random.nextInt(30);
        this.path = path;
        this.listener = UnixListener.listen(path, UnixSocket.Type.STREAM);
        threads.add(Thread.ofPlatform().daemon().start(() -> relay(right)));
    }

    Path path() {
        return path;
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

    /** Message by message, so that descriptors stay with theirs. */
    private void copy(UnixSocket from, UnixSocket to, boolean spoil) {
        List<Fd> files = new ArrayList<>();
        try {
            for (byte[] head = exactly(from, HEADER, files); head.length == HEADER; head = exactly(from, HEADER,
                    files)) {
                int size = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getInt(4);
                byte[] body = exactly(from, size - HEADER, files);
                byte[] whole = Arrays.copyOf(head, size);
                System.arraycopy(body, 0, whole, HEADER, body.length);
                if (spoil && random.nextInt(oneIn) == 0) {
                    spoiled(whole, files, to);
                } else {
                    send(to, whole, files);
                }
                files.forEach(Fd::close);
                files.clear();
            }
        } catch (NativeException | IllegalStateException | IndexOutOfBoundsException e) {
            // one of them has gone
        } finally {
            files.forEach(Fd::close);
            from.close();
            to.close();
        }
    }

    private void spoiled(byte[] whole, List<Fd> files, UnixSocket to) {
        ByteBuffer fields = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> {
                for (int i = random.nextInt(4); i >= 0 && whole.length > HEADER; i--) {
                    whole[HEADER + random.nextInt(whole.length - HEADER)] = (byte) random.nextInt();
                }
                send(to, whole, files);
            }
            case 3 -> {
                for (int at = HEADER; at + 4 <= whole.length; at += 4) {
                    fields.putInt(at,
                            new int[] { 0, -1, Integer.MAX_VALUE, 4096, fields.getInt(at) }[random.nextInt(5)]);
                }
                send(to, whole, files);
            }
            case 4 -> send(to, resized(whole, HEADER + random.nextInt(whole.length - HEADER + 1)), files);
            case 5 -> send(to, resized(whole, whole.length + 1 + random.nextInt(5000)), files);
            case 6 -> {
                whole[random.nextInt(HEADER)] = (byte) random.nextInt();
                send(to, whole, files);
            }
            case 7 -> send(to, whole, List.of());
            case 8 -> {
                List<Fd> many = new ArrayList<>(files);
                for (int i = random.nextInt(20); i >= 0 && !files.isEmpty(); i--) {
                    many.add(files.getFirst());
                }
                send(to, whole, many);
            }
            case 9 -> {
                send(to, whole, files);
                send(to, whole, files);
            }
            case 10 -> {
                send(to, command(), List.of());
                send(to, whole, files);
            }
            default -> {
                send(to, Arrays.copyOf(whole, random.nextInt(whole.length)), files);
                throw new IllegalStateException("gone in the middle of a message");
            }
        }
    }

    private static byte[] resized(byte[] whole, int size) {
        byte[] other = Arrays.copyOf(whole, size);
        ByteBuffer.wrap(other).order(ByteOrder.LITTLE_ENDIAN).putInt(4, size);
        return other;
    }

    /** DMA near the edges of what a client of {@link BrokenServerTest} maps, or anything else. */
    private byte[] command() {
        int kind = random.nextInt(4) == 0 ? random.nextInt(20) : 11 + random.nextInt(2);
        int count = random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(200);
        int data = kind == 12 ? Math.max(0, Math.min(count, 200)) : random.nextInt(8) == 0 ? 3 : 0;
        byte[] body = new byte[16 + data];
        Arrays.fill(body, (byte) 0x5a);
        long[] places = { BrokenServerTest.IOVA, BrokenServerTest.IOVA + 4096, BrokenServerTest.IOVA - 1, 0, -1,
                random.nextLong() };
        ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN)
                .putLong(places[random.nextInt(places.length)] + random.nextInt(400) - 200).putLong(count);
        return RawClient.message(random.nextInt(1 << 16), kind, HEADER + body.length, random.nextInt(5) == 0 ? 0x10 : 0,
                body);
    }

    private static void send(UnixSocket to, byte[] bytes, List<Fd> files) {
        if (bytes.length > 0) {
            try (Arena arena = Arena.ofConfined()) {
                to.send(arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), files);
            }
        }
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
        listener.close();
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
