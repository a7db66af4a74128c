package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.ffi.UnixSocket.Received;
import dev.bascule.ffi.UnixSocket.Type;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UnixSocketTest {
    private static final long PATIENCE = 30_000;

    @TempDir
    private Path folder;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(1 << 16);

    @AfterEach
    void closeArena() {
        arena.close();
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void descriptorsPassBothWays(Type type) {
        try (UnixListener listener = UnixListener.listen(folder.resolve("s"), type);
                UnixSocket client = UnixSocket.connect(folder.resolve("s"), type);
                UnixSocket server = Objects.requireNonNull(listener.accept(PATIENCE));
                EventFd first = EventFd.create();
                EventFd second = EventFd.create()) {
            client.send(arena.allocateFrom("kick"), List.of(first.fd(), second.fd()));
            Received atServer = server.receive(buffer, 2, PATIENCE);
            assertThat(atServer.bytes()).isEqualTo(5);
            assertThat(buffer.getString(0)).isEqualTo("kick");
            assertThat(atServer.descriptors()).hasSize(2);
            try (EventFd theirs = EventFd.of(atServer.descriptors().get(1))) {
                theirs.signal();
                assertThat(second.take()).as("the same counter through two descriptors").isEqualTo(1);
                server.send(arena.allocateFrom("back"), List.of(theirs.fd()));
                Received atClient = client.receive(buffer, 1, PATIENCE);
                try (EventFd returned = EventFd.of(atClient.descriptors().getFirst())) {
                    second.signal();
                    assertThat(returned.take()).isEqualTo(1);
                }
            }
            atServer.descriptors().getFirst().close();
        }
    }

    @Test
    void messagesKeepTheirBoundaries() {
        List<UnixSocket> ends = UnixSocket.pair(Type.MESSAGES);
        try (UnixSocket a = ends.get(0); UnixSocket b = ends.get(1)) {
            a.send(arena.allocate(10));
            a.send(arena.allocate(20));
            assertThat(b.receive(buffer, 0, PATIENCE).bytes()).isEqualTo(10);
            assertThat(b.receive(buffer, 0, PATIENCE).bytes()).isEqualTo(20);
            a.send(arena.allocate(100));
            assertThatThrownBy(() -> b.receive(buffer.asSlice(0, 50), 0, PATIENCE))
                    .isInstanceOf(IllegalStateException.class).hasMessageContaining("more than 50 bytes");
        }
    }

    @Test
    void streamSendsAllHoweverSmallTheSocketBuffer() throws Exception {
        List<UnixSocket> ends = UnixSocket.pair(Type.STREAM);
        try (UnixSocket a = ends.get(0); UnixSocket b = ends.get(1); EventFd event = EventFd.create()) {
            MemorySegment large = arena.allocate(4 << 20);
            large.fill((byte) 0x5a);
            CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> a.send(large, List.of(event.fd())));
            long got = 0;
            int descriptors = 0;
            while (got < large.byteSize()) {
                Received received = b.receive(buffer, 1, PATIENCE);
                assertThat(buffer.get(ValueLayout.JAVA_BYTE, received.bytes() - 1)).isEqualTo((byte) 0x5a);
                descriptors += received.descriptors().size();
                received.descriptors().forEach(Fd::close);
                got += received.bytes();
            }
            sender.get(30, TimeUnit.SECONDS);
            assertThat(got).isEqualTo(4 << 20);
            assertThat(descriptors).isEqualTo(1);
        }
    }

    @Test
    void unwantedDescriptorsAreClosedAndReported() throws Exception {
        List<UnixSocket> ends = UnixSocket.pair(Type.MESSAGES);
        try (UnixSocket a = ends.get(0); UnixSocket b = ends.get(1); Fd secret = Libc.memfd("unwanted", 0)) {
            a.send(arena.allocate(1), List.of(secret, secret, secret));
            assertThatThrownBy(() -> b.receive(buffer, 2, PATIENCE)).hasMessageContaining("2 descriptors");
            assertThat(openDescriptorsOf("unwanted")).isEqualTo(1);
        }
    }

    @Test
    void aFullLoadOfDescriptorsArrives() {
        List<UnixSocket> ends = UnixSocket.pair(Type.MESSAGES);
        try (UnixSocket a = ends.get(0); UnixSocket b = ends.get(1); Fd fd = Libc.memfd("many", 0)) {
            a.send(arena.allocate(1), java.util.Collections.nCopies(253, fd));
            Received received = b.receive(buffer, 253, PATIENCE);
            assertThat(received.descriptors()).hasSize(253);
            received.descriptors().forEach(Fd::close);
            assertThatThrownBy(() -> a.send(arena.allocate(1), java.util.Collections.nCopies(254, fd)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> a.send(MemorySegment.NULL)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void timeoutAndHangUpAreToldApart() {
        List<UnixSocket> ends = UnixSocket.pair(Type.STREAM);
        try (UnixSocket a = ends.get(0); UnixSocket b = ends.get(1)) {
            assertThat(b.receive(buffer, 0, 1).bytes()).isEqualTo(-1);
            a.close();
            assertThat(b.receive(buffer, 0, PATIENCE).bytes()).isZero();
            assertThatThrownBy(() -> b.send(arena.allocate(1))).isInstanceOf(NativeException.class)
                    .hasMessageContaining("EPIPE");
            assertThatThrownBy(() -> a.send(arena.allocate(1))).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
    }

    @Test
    void closeWakesAThreadThatReceives() throws Exception {
        List<UnixSocket> ends = UnixSocket.pair(Type.STREAM);
        try (UnixSocket a = ends.get(0); UnixSocket b = ends.get(1)) {
            CompletableFuture<Object> waiter = CompletableFuture.supplyAsync(() -> {
                a.send(arena.allocate(1));
                return resultOf(() -> a.receive(buffer, 0, -1).bytes());
            });
            b.receive(buffer, 0, PATIENCE);
            a.close();
            Object outcome = waiter.get(30, TimeUnit.SECONDS);
            assertThat(outcome instanceof IllegalStateException || outcome.equals(0)).as("%s", outcome).isTrue();
        }
    }

    @Test
    void closeWakesAThreadThatAccepts() throws Exception {
        UnixListener listener = UnixListener.listen(folder.resolve("s"), Type.STREAM);
        CompletableFuture<Object> waiter = CompletableFuture
                .supplyAsync(() -> resultOf(() -> Objects.requireNonNullElse(listener.accept(-1), "null")));
        listener.close();
        Object outcome = waiter.get(30, TimeUnit.SECONDS);
        assertThat(outcome instanceof IllegalStateException || outcome.equals("null")).as("%s", outcome).isTrue();
        assertThat(folder.resolve("s")).doesNotExist();
    }

    @Test
    void peerIsNamedByTheKernel() {
        List<UnixSocket> ends = UnixSocket.pair(Type.STREAM);
        try (UnixSocket a = ends.get(0); UnixSocket b = ends.get(1)) {
            assertThat(a.peer().pid()).isEqualTo((int) ProcessHandle.current().pid());
            assertThat(b.peer().uid()).isEqualTo(Libc.effectiveUserId());
        }
    }

    @Test
    void socketOfADeadProcessIsTakenOverAndALiveOneIsNot() throws Exception {
        Path path = folder.resolve("s");
        leaveBehind(path);
        try (UnixListener listener = UnixListener.listen(path, Type.STREAM)) {
            assertThatThrownBy(() -> UnixListener.listen(path, Type.STREAM)).hasMessageContaining("EADDRINUSE")
                    .hasMessageContaining("Another process uses it");
            assertThat(listener.accept(PATIENCE)).as("the probe of the second listener").isNotNull();
        }
        Files.writeString(path, "precious");
        assertThatThrownBy(() -> UnixListener.listen(path, Type.STREAM)).hasMessageContaining("EADDRINUSE");
        assertThat(path).hasContent("precious");
    }

    /** Each round starts with the socket of a dead process, or with none. */
    @Test
    void ofSeveralThatBeginToListenAtOnceOneDoesAndIsReached() throws Exception {
        int rounds = 300;
        int starters = 3;
        CyclicBarrier barrier = new CyclicBarrier(starters);
        try (ExecutorService threads = Executors.newFixedThreadPool(starters)) {
            for (int round = 0; round < rounds; round++) {
                Path path = folder.resolve("s" + round);
                if (round % 2 == 0) {
                    leaveBehind(path);
                }
                List<Future<Object>> results = threads.invokeAll(Collections.nCopies(starters, () -> {
                    barrier.await();
                    try {
                        return UnixListener.listen(path, Type.STREAM);
                    } catch (NativeException e) {
                        return e.errno();
                    }
                }));
                List<UnixListener> listeners = new ArrayList<>();
                for (Future<Object> result : results) {
                    if (result.get() instanceof UnixListener listener) {
                        listeners.add(listener);
                    } else {
                        assertThat(result.get()).isEqualTo(Errno.EADDRINUSE);
                    }
                }
                assertThat(listeners).as("listeners of round %d", round).hasSize(1);
                assertThat(UnixSocket.isDeserted(path, Type.STREAM)).as("round %d", round).isFalse();
                listeners.getFirst().close();
                assertThat(path).doesNotExist();
            }
        }
    }

    @Test
    void whoKeepsTheFoldersLockKeepsNobodyFromListening() {
        try (FolderLock kept = FolderLock.of(folder.resolve("s"));
                UnixListener listener = UnixListener.listen(folder.resolve("s"), Type.STREAM)) {
            assertThat(kept).isNotNull();
            assertThat(listener).isNotNull();
            assertThat(UnixSocket.isDeserted(folder.resolve("s"), Type.STREAM)).isFalse();
        }
    }

    /** The socket of a process that died. */
    private void leaveBehind(Path path) {
        Fd dead = UnixSocket.socket(Type.STREAM, "dead");
        MemorySegment address = UnixSocket.address(arena, path);
        dead.checked("bind", Fn.BIND, address, NativeCall.word(address.byteSize()));
        dead.close();
    }

    @Test
    void whatIsNoSocketStays() throws Exception {
        Path stale = folder.resolve("stale");
        leaveBehind(stale);
        Path fifo = folder.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        List<Path> others = List.of(fifo, Files.createDirectory(folder.resolve("empty")),
                Files.createSymbolicLink(folder.resolve("link"), stale),
                Files.createSymbolicLink(folder.resolve("astray"), folder.resolve("nowhere")), Path.of("/dev/null"));
        for (Path other : others) {
            assertThatThrownBy(() -> UnixListener.listen(other, Type.STREAM)).as("%s", other)
                    .isInstanceOf(NativeException.class).hasMessageContaining("EADDRINUSE")
                    .hasMessageContaining("no socket");
            assertThat(Files.exists(other, java.nio.file.LinkOption.NOFOLLOW_LINKS)).as("%s stays", other).isTrue();
        }
    }

    @Test
    void theSocketOfAnotherAtTheSamePathStaysWhenThisOneCloses() throws Exception {
        Path path = folder.resolve("s");
        UnixListener first = UnixListener.listen(path, Type.STREAM);
        Files.delete(path);
        try (UnixListener second = UnixListener.listen(path, Type.STREAM)) {
            first.close();
            UnixSocket.connect(path, Type.STREAM).close();
            assertThat(second.accept(PATIENCE)).isNotNull();
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void whatWaitsCanBeLookedAt() {
        List<UnixSocket> ends = UnixSocket.pair(Type.STREAM);
        try (UnixSocket a = ends.get(0); UnixSocket b = ends.get(1)) {
            MemorySegment buffer = arena.allocate(16);
            assertThat(b.peek(buffer)).isEqualTo(-1);
            a.send(arena.allocateFrom("ab"), List.of(a.fd()));
            assertThat(b.peek(buffer)).isEqualTo(3);
            UnixSocket.Received received = b.receive(buffer, 1, PATIENCE);
            assertThat(received.bytes()).as("still there").isEqualTo(3);
            received.descriptors().forEach(Fd::close);
            a.close();
            assertThat(b.peek(buffer)).isZero();
        }
    }

    @Test
    void badPathsAreClear() {
        assertThatThrownBy(() -> UnixSocket.connect(folder.resolve("x".repeat(120)), Type.STREAM))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at most 107 bytes");
        assertThatThrownBy(() -> UnixSocket.connect(folder.resolve("nobody"), Type.STREAM))
                .isInstanceOf(NativeException.class).hasMessageContaining("ENOENT");
        assertThatThrownBy(() -> UnixListener.listen(folder.resolve("no/such/folder"), Type.STREAM))
                .hasMessageContaining("ENOENT");
    }

    private static Object resultOf(java.util.function.Supplier<Object> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return e;
        }
    }

    private static long openDescriptorsOf(String name) throws Exception {
        try (var links = Files.list(Path.of("/proc/self/fd"))) {
            return links.filter(link -> {
                try {
                    return Files.readSymbolicLink(link).toString().contains(name);
                } catch (java.io.IOException e) {
                    return false;
                }
            }).count();
        }
    }
}
