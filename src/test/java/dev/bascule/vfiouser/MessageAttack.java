package dev.bascule.vfiouser;

import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixSocket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A client that means harm and keeps account of what it has done: it maps, overlaps and unmaps what it mapped, gives
 * descriptors of every kind, lets the device use its memory and cuts it meanwhile, fills the counters of its eventfds and
 * makes them block. One seed, one sequence of messages.
 */
final class MessageAttack {
    private static final int PAGE = 4096;
    private static final int PAGES = 64;
    private static final long BASE = 1L << 32;
    private static final long FIONBIO = 0x5421;
    private static final int STEPS = 120;

    private final Random random;
    private final Arena arena = Arena.ofConfined();
    private final List<Fd> memories = new ArrayList<>();
    private final List<Fd> odd = new ArrayList<>();
    private final List<EventFd> events = new ArrayList<>();
    private final List<Long> mapped = new ArrayList<>();
    private final MemorySegment buffer = arena.allocate(1 << 16, 8);

    MessageAttack(long seed) {
        random = new Random(seed);
    }

    /** One client's life; whatever the server answers, also that it goes, is fine. */
    void run(Path path) {
        try {
            equip();
            try (UnixSocket socket = UnixSocket.connect(path, UnixSocket.Type.STREAM)) {
                attack(socket);
            }
        } catch (NativeException | IllegalStateException e) {
            // the server closed the connection: that is its answer to some of this
        } finally {
            memories.forEach(Fd::close);
            odd.forEach(Fd::close);
            events.forEach(EventFd::close);
            arena.close();
        }
    }

    private void equip() {
        for (int i = 0; i < 3; i++) {
            Fd memory = Libc.memfd("attack", Linux.MFD_ALLOW_SEALING);
            memories.add(memory);
            memory.truncate((long) PAGES * PAGE);
        }
        odd.add(Libc.open("/proc/self/fd/" + memories.getFirst().number(), Linux.O_RDONLY));
        odd.add(Libc.open("/dev/zero", Linux.O_RDWR));
        odd.add(Libc.open("/dev/null", Linux.O_RDWR));
        odd.add(Libc.open("/", Linux.O_RDONLY));
        odd.add(Libc.open("/proc/self/maps", Linux.O_RDONLY));
        odd.add(Libc.memfd("empty", 0));
        UnixSocket.pair(UnixSocket.Type.STREAM).forEach(end -> odd.add(end.fd()));
        for (int i = 0; i < 4; i++) {
            EventFd event = EventFd.create();
            events.add(event);
            blocking(event, random.nextBoolean());
            odd.add(Libc.open("/dev/null", Linux.O_RDWR));
        }
    }

    private void blocking(EventFd event, boolean blocks) {
        event.fd().ioctl("FIONBIO", FIONBIO, arena.allocateFrom(ValueLayout.JAVA_INT, blocks ? 0 : 1));
    }

    private void attack(UnixSocket socket) {
        if (random.nextInt(30) == 0) {
            socket.send(arena.allocate(1 + random.nextInt(15))); // and nothing more
            return;
        }
        send(socket, 1, RawClient.body().putInt(0).put("{\"capabilities\":{\"write_multiple\":true}}".getBytes())
                .put((byte) 0));
        write(socket, 7, 4, 2, 6); // memory and bus mastering
        for (int i = random.nextInt(STEPS); i >= 0; i--) {
            step(socket);
            if (random.nextInt(4) == 0) {
                drain(socket);
            }
        }
        if (random.nextInt(4) != 0) {
            awaitAnswer(socket);
        }
    }

    private void step(UnixSocket socket) {
        switch (random.nextInt(16)) {
            case 0, 1, 2 -> map(socket);
            case 3 -> unmap(socket);
            case 4 -> cut(one(memories));
            case 5, 6 -> interrupts(socket);
            case 7 -> fill(one(events));
            case 8 -> write(socket, 7, 4, 2, random.nextInt(8) == 0 ? 0 : 6);
            case 9 -> send(socket, 13, RawClient.body()); // reset
            case 10 -> useQueue(socket);
            case 11 -> useQueueWhileMemoryIsCut(socket);
            case 12 -> descriptorsEverywhere(socket);
            default -> write(socket, random.nextInt(6), register(), 1 << random.nextInt(4), value());
        }
    }

    private void map(UnixSocket socket) {
        boolean overlapping = !mapped.isEmpty() && random.nextInt(3) == 0;
        long iova = overlapping
                ? one(mapped) + PAGE * (random.nextInt(3) - 1L)
                : BASE + (long) PAGE * random.nextInt(256);
        long pages = random.nextInt(20) == 0 ? random.nextInt(1 << 20) : 1 + random.nextInt(PAGES);
        long offset = (long) PAGE * random.nextInt(random.nextInt(8) == 0 ? 200 : 4);
        ByteBuffer body = RawClient.body().putInt(32).putInt(random.nextInt(10) == 0 ? random.nextInt(8) : 3)
                .putLong(offset).putLong(iova).putLong(pages * PAGE);
        mapped.add(iova);
        if (random.nextInt(25) == 0) {
            send(socket, 2, body); // reached by message, which nobody answers
        } else {
            send(socket, 2, body, random.nextInt(5) == 0 ? one(odd) : one(memories));
        }
    }

    private void unmap(UnixSocket socket) {
        long iova = mapped.isEmpty() ? BASE : one(mapped);
        send(socket, 3, random.nextInt(4) == 0
                ? RawClient.body().putInt(24).putInt(2).putLong(0).putLong(0)
                : RawClient.body().putInt(24).putInt(0).putLong(iova)
                        .putLong((long) PAGE * (1 + random.nextInt(PAGES))));
    }

    private void cut(Fd memory) {
        memory.truncate(random.nextBoolean() ? 0 : (long) PAGE * random.nextInt(2 * PAGES));
    }

    private void interrupts(UnixSocket socket) {
        int count = 1 + random.nextInt(3);
        Fd[] descriptors = new Fd[random.nextInt(5) == 0 ? random.nextInt(17) : count];
        for (int i = 0; i < descriptors.length; i++) {
            descriptors[i] = random.nextInt(6) == 0 ? one(odd) : one(events).fd();
        }
        send(socket, 8, RawClient.body().putInt(20).putInt(random.nextInt(4) == 0 ? 0x21 : 4 | 8 << random.nextInt(3))
                .putInt(random.nextInt(5)).putInt(random.nextInt(4)).putInt(count), descriptors);
        send(socket, 8, RawClient.body().putInt(20).putInt(0x21).putInt(2).putInt(0).putInt(1)); // trigger
    }

    private void fill(EventFd event) {
        blocking(event, false); // for this end, which empties it first
        event.take();
        event.fd().write(arena.allocateFrom(ValueLayout.JAVA_LONG, -2L));
        blocking(event, random.nextInt(4) != 0);
    }

    /** A virtio device's transmit queue over mapped memory; other devices see writes to registers of theirs. */
    private void useQueue(UnixSocket socket) {
        if (mapped.isEmpty()) {
            return;
        }
        long iova = one(mapped);
        long[][] registers = { { 8, 1 }, { 12, 1 }, { 20, 7 }, { 22, random.nextInt(2) }, { 24, 256 }, { 26, 0 },
                { 32, iova & 0xffff_ffffL }, { 36, iova >>> 32 }, { 40, iova + 4096 & 0xffff_ffffL },
                { 44, iova + 4096 >>> 32 }, { 48, iova + 8192 & 0xffff_ffffL }, { 52, iova + 8192 >>> 32 }, { 28, 1 },
                { 20, 15 } };
        for (long[] register : registers) {
            write(socket, 4, register[0], 4, register[1]);
        }
        Fd memory = one(memories);
        byte[] ring = new byte[12288];
        random.nextBytes(ring);
        ByteBuffer words = ByteBuffer.wrap(ring).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 256; i++) {
            words.putLong(16 * i, iova + PAGE * (long) random.nextInt(8)).putInt(16 * i + 8, random.nextInt(3000))
                    .putShort(16 * i + 12, (short) 0);
        }
        try {
            memory.pwrite(arena.allocateFrom(ValueLayout.JAVA_BYTE, ring), 0);
        } catch (NativeException e) {
            // sealed meanwhile
        }
        write(socket, 4, 0x3000, 4, random.nextInt(2));
    }

    private void useQueueWhileMemoryIsCut(UnixSocket socket) {
        Fd memory = one(memories);
        long seed = random.nextLong();
        Thread cutter = Thread.ofPlatform().start(() -> {
            Random own = new Random(seed);
            for (int i = 0; i < 20; i++) {
                memory.truncate(own.nextBoolean() ? 0 : (long) PAGES * PAGE);
                Thread.yield();
            }
        });
        try {
            for (int i = 0; i < 4; i++) {
                useQueue(socket);
            }
        } finally {
            join(cutter);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void descriptorsEverywhere(UnixSocket socket) {
        byte[] whole = RawClient.message(7, 2, 48, 0x10, new byte[32]);
        Fd[] many = new Fd[1 + random.nextInt(64)];
        for (int i = 0; i < many.length; i++) {
            many[i] = random.nextBoolean() ? one(odd) : one(memories);
        }
        int cut = random.nextInt(whole.length);
        for (int i = 0; i < whole.length; i += 8) {
            socket.send(arena.allocateFrom(ValueLayout.JAVA_BYTE, java.util.Arrays.copyOfRange(whole, i, i + 8)),
                    List.of(many));
            if (i > cut && random.nextInt(10) == 0) {
                throw new IllegalStateException("gone in mid-message");
            }
        }
    }

    private long register() {
        long[] places = { 4L * random.nextInt(64), 4L * random.nextInt(1024), 4L * random.nextInt(1 << 18),
                8L * random.nextInt(1 << 20), 0x100000 + 4L * random.nextInt(1 << 16) };
        return places[random.nextInt(places.length)];
    }

    private long value() {
        long[] values = { 0, 1, random.nextInt(256), mapped.isEmpty() ? BASE : one(mapped), random.nextLong(),
                BASE >>> 32, 0x8000_0001L };
        return values[random.nextInt(values.length)];
    }

    private void write(UnixSocket socket, int region, long offset, int width, long value) {
        byte[] bytes = java.util.Arrays.copyOf(
                ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array(), width);
        send(socket, 10, RawClient.body().putLong(offset / width * width).putInt(region).putInt(width).put(bytes));
    }

    private void send(UnixSocket socket, int command, ByteBuffer body, Fd... descriptors) {
        int flags = command == 1 || random.nextInt(4) == 0 ? 0 : 0x10;
        byte[] bytes = RawClient.message(7, command, 16 + body.position(), flags,
                java.util.Arrays.copyOf(body.array(), body.position()));
        try (Arena one = Arena.ofConfined()) {
            socket.send(one.allocateFrom(ValueLayout.JAVA_BYTE, bytes), List.of(descriptors));
        }
    }

    private void drain(UnixSocket socket) {
        UnixSocket.Received received;
        do {
            received = socket.receive(buffer, 253, 0);
            received.descriptors().forEach(Fd::close);
        } while (received.bytes() > 0);
    }

    /** Lets the server do all that was sent, or end it; a server that waits for this end gives up before that. */
    private void awaitAnswer(UnixSocket socket) {
        drain(socket);
        socket.send(arena.allocateFrom(ValueLayout.JAVA_BYTE, RawClient.message(8, 4, 32, 0, new byte[16])));
        socket.receive(buffer, 253, 3_000).descriptors().forEach(Fd::close);
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
