package dev.bascule.rdma;

import dev.bascule.ffi.FakeVerbs;
import dev.bascule.memory.Window;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/** A host and agents that it calls over 127.0.0.1, with fake verbs below both. */
final class MirrorPair implements AutoCloseable {
    static final byte[] SECRET = "a secret of a test".getBytes(StandardCharsets.UTF_8);
    static final MirrorHost.Sizes SIZES = new MirrorHost.Sizes(8 * 4096, 4096, 4096, 8);
    static final int AGENTS = 4;
    /** On a machine that is busy elsewhere. */
    static final RdmaOptions PATIENT = new RdmaOptions("", 0, -1, 0, 30_000_000_000L, false);
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    final FakeVerbs verbs;
    final Path folder;
    final Path sysfs;
    final MirrorHost host;
    final List<String> said = new CopyOnWriteArrayList<>();
    final ConcurrentLinkedQueue<Integer> bells = new ConcurrentLinkedQueue<>();
    private final List<InetSocketAddress> peers = new CopyOnWriteArrayList<>();

    private final RdmaOptions options;

    MirrorPair(FakeVerbs verbs, Path folder) {
        this(verbs, folder, "host.mem", PATIENT);
    }

    MirrorPair(FakeVerbs verbs, Path folder, String file, RdmaOptions options) {
        this.verbs = verbs;
        this.options = options;
        this.folder = folder;
        sysfs = FakeSysfs.roce(folder.resolve("sys"));
        host = new MirrorHost(verbs, hostSetup(new Credentials("host", "nic", SECRET)), folder.resolve(file), SIZES,
                bells::add);
        host.serve(() -> peers, refused -> {});
    }

    MirrorHost.Setup hostSetup(Credentials credentials) {
        return new MirrorHost.Setup(sysfs, options, credentials, "wave", AGENTS, said::add);
    }

    MirrorAgent.Setup agentSetup(Credentials credentials, String transport, int number) {
        return new MirrorAgent.Setup(sysfs, options, credentials, transport, number);
    }

    /** The host calls there from now on. */
    void peer(ServerSocket listener) {
        peers.add((InetSocketAddress) listener.getLocalSocketAddress());
    }

    static ServerSocket listen() throws IOException {
        ServerSocket listener = new ServerSocket();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return listener;
    }

    /** An agent that the host has called. */
    MirrorAgent agent(String file, Runnable lost) throws IOException {
        try (ServerSocket listener = listen()) {
            return agent(listener, file, lost);
        }
    }

    /** An agent of this number, that the host has called. */
    MirrorAgent agent(int number) throws IOException {
        try (ServerSocket listener = listen()) {
            peer(listener);
            return answer(listener.accept(), number, "agent" + number + ".mem", () -> {});
        }
    }

    MirrorAgent agent(ServerSocket listener, String file, Runnable lost) throws IOException {
        peer(listener);
        return answer(listener, file, lost);
    }

    MirrorAgent answer(ServerSocket listener, String file, Runnable lost) throws IOException {
        return answer(listener.accept(), 0, file, lost);
    }

    MirrorAgent answer(Socket socket, String file) throws IOException {
        return answer(socket, 0, file, () -> {});
    }

    private MirrorAgent answer(Socket socket, int number, String file, Runnable lost) throws IOException {
        return MirrorAgent.answer(verbs, agentSetup(new Credentials("nic", "host", SECRET), "wave", number), socket,
                folder.resolve(file), nic -> lost.run());
    }

    static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("never: " + what);
            }
            Thread.yield();
        }
    }

    /** A word of a side's copy. */
    static void awaitWord(Window window, long offset, long value) {
        await("word " + value + " at " + offset, () -> window.loadAcquire(offset) == value);
    }

    @Override
    public void close() {
        host.close();
        verbs.close();
    }
}
