package dev.bascule.rdma;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.OwnThread;
import dev.bascule.ffi.Patience;
import dev.bascule.ffi.Verbs;
import dev.bascule.memory.Window;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The host's copy of a mirrored region and its connections to agents, each of which it calls at its address, again and
 * again, twice a second at least. An agent that comes gets the whole copy first.
 * <p>
 * Thread rule: the control path's thread; each window belongs to one thread. What is said may come from any thread.
 */
public final class MirrorHost implements AutoCloseable {
    private static final int CONNECT_MILLIS = 2_000;
    private static final long PAUSE_NANOS = 20_000_000;
    private static final long SILENCE_NANOS = 1_000_000_000;

    private final Setup setup;
    private final Mirror mirror;
    private final boolean isNew;
    private final HostCall call;
    private final Map<InetSocketAddress, LinkEnds> linked = new ConcurrentHashMap<>();
    private final CallPauses pauses = new CallPauses();
    private final Map<InetSocketAddress, String> saidOf = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger made = new AtomicInteger();
    /** Of each agent. */
    private final Map<Integer, Loss> losses = new ConcurrentHashMap<>();
    private volatile boolean closed;
    /** Addresses that are called or linked, each by a thread of its own. */
    private final Map<InetSocketAddress, Socket> callees = new ConcurrentHashMap<>();
    private volatile @Nullable Thread caller;
    private volatile String lastNote = "";

    /**
     * Settings of a host that do not change.
     *
     * @param sysfs normally {@code /sys}
     * @param transport name of the transport, which the agents must speak
     * @param agents agents that the region has places for
     * @param say is told what happens to connections
     */
    public record Setup(Path sysfs, RdmaOptions options, Credentials credentials, String transport, int agents,
            Consumer<String> say) {}

    /** Sizes of the host's memories, bytes, and how many threads look at their peers. */
    public record Sizes(long nicBytes, long sharedBytes, long privateBytes, int threads) {
        MirrorShape shape() {
            return MirrorShape.of(nicBytes, sharedBytes, privateBytes, threads);
        }
    }

    /** A connection that broke: which one, and why. */
    private record Loss(int number, String why) {
        static final Loss NONE = new Loss(0, "");
    }

    /** Two memories, for one thread. */
    public record Windows(Window nic, Window hostMemory) {}

    /**
     * On the copy that a former host left in the file, or on a new one.
     *
     * @param ring hears the agents' bells, each with the number of a CPU
     */
    public MirrorHost(Verbs verbs, Setup setup, Path file, Sizes sizes, IntConsumer ring) {
        this.setup = setup;
        MirrorShape shape = sizes.shape();
        isNew = !isCopy(file, shape);
        mirror = isNew ? Mirror.create(file, shape) : Mirror.open(file, shape);
        call = new HostCall(verbs, setup, mirror, ring);
    }

    private static boolean isCopy(Path file, MirrorShape shape) {
        try {
            if (!Files.exists(file)) {
                return false;
            }
            if (Files.size(file) == shape.totalBytes()) {
                return true;
            }
            Files.delete(file); // of another shape: nothing in it can be gone on with
            return false;
        } catch (IOException e) {
            throw new DeviceException("open region", file.toString(), String.valueOf(e.getMessage()),
                    "name another directory");
        }
    }

    /** Whether no former host left a copy here. */
    public boolean isNew() {
        return isNew;
    }

    /** Windows of one more thread. */
    public Windows windows() {
        MirrorWriter writer = mirror.writer();
        return new Windows(mirror.nicMemory(writer), mirror.hostMemory(writer));
    }

    // ---- connections

    /**
     * Reads a former host's copy from the first of these agents that has one, for a host that starts without any; the
     * connection is given up again. Agents that are between two calls are waited for, up to a second. All are asked at a
     * time, so that nobody but who knows the secret keeps another's copy away.
     *
     * @return whether there was one
     */
    public boolean takeOver(List<InetSocketAddress> peers) {
        Takeover takeover = new Takeover(peers.size());
        peers.forEach(peer -> start("bascule RDMA takeover", () -> {
            Patience patience = new Patience(SILENCE_NANOS);
            try {
                while (!fetch(peer, takeover) && !takeover.isOver() && !patience.isOver()) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } finally {
                takeover.ended();
            }
        }));
        return takeover.await();
    }

    /** Asks a peer; false if nobody listens there. */
    private boolean fetch(InetSocketAddress peer, Takeover takeover) {
        try (Socket socket = new Socket()) {
            takeover.add(socket);
            socket.connect(peer, CONNECT_MILLIS);
            Exchange exchange = new Exchange(socket, setup.credentials(), true);
            takeover.take(() -> isRead(exchange, peer));
            return true;
        } catch (ConnectException e) {
            say(peer, "nobody listens at " + peer + " yet");
            return false;
        } catch (IOException | DeviceException | NativeException e) {
            if (!takeover.isOver()) {
                setup.say().accept("no region of a former host from " + peer + ": " + e.getMessage());
            }
            return true;
        }
    }

    /** Says so before whoever waits for the takeover goes on. */
    private boolean isRead(Exchange exchange, InetSocketAddress peer) throws IOException {
        boolean isWhole = call.fetch(exchange);
        if (isWhole) {
            setup.say().accept("read the region of a former host from " + exchange.peer() + " at " + peer);
        }
        return isWhole;
    }

    /**
     * Calls agents from now on, and calls again those that have gone.
     *
     * @param peers where agents may listen; asked each time
     * @param refused is told of an address where nobody listens
     */
    public void serve(Supplier<List<InetSocketAddress>> peers, Consumer<InetSocketAddress> refused) {
        caller = start("bascule RDMA calls", () -> {
            while (!closed) {
                try {
                    peers.get().forEach(peer -> callIfDue(peer, refused));
                } catch (RuntimeException e) {
                    note("agents are looked for", e);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        });
    }

    private void callIfDue(InetSocketAddress peer, Consumer<InetSocketAddress> refused) {
        if (closed || callees.containsKey(peer) || !pauses.isDue(peer, System.nanoTime())) {
            return;
        }
        Socket socket = new Socket();
        callees.put(peer, socket);
        start("bascule RDMA link", () -> {
            try {
                call(peer, socket, refused);
            } finally {
                callees.remove(peer);
            }
        });
    }

    private void note(String when, Throwable thrown) {
        String what = "while " + when + ": " + thrown;
        if (!what.equals(lastNote)) {
            lastNote = what;
            setup.say().accept(what);
        }
    }

    /** For whoever knows that there is somebody new to call. */
    public void callNow() {
        pauses.endAll();
        LockSupport.unpark(caller);
    }

    private synchronized Thread start(String name, Runnable body) {
        threads.removeIf(thread -> !thread.isAlive());
        Thread thread = OwnThread.of(name, body, e -> note(name + " runs", e));
        threads.add(thread);
        thread.start();
        return thread;
    }

    private void call(InetSocketAddress peer, Socket socket, Consumer<InetSocketAddress> refused) {
        LinkEnds ends = null;
        try {
            socket.connect(peer, CONNECT_MILLIS);
            Exchange exchange = new Exchange(socket, setup.credentials(), true);
            ends = call.connect(exchange);
            mirror.join(ends.link());
            if (!ends.link().push()) {
                throw exchange.problem(ends.link().reason(), "look at the network between the two");
            }
            exchange.send(Frames.READY, to -> {});
            LinkEnds up = ends;
            linked.put(peer, up);
            pauses.answered(peer);
            say(peer, "linked with " + exchange.who() + ", agent " + up.link().agent() + ", at " + peer.getAddress()
                    .getHostAddress());
            watch(peer, up, made.incrementAndGet());
        } catch (ConnectException e) {
            refused.accept(peer);
            say(peer, "nobody listens at " + peer + " yet");
            notLinked(peer, socket, ends);
        } catch (IOException | RuntimeException e) {
            say(peer, "not linked with " + peer + ": " + e.getMessage());
            notLinked(peer, socket, ends);
        }
    }

    private void notLinked(InetSocketAddress peer, Socket socket, @Nullable LinkEnds ends) {
        give(socket, ends);
        linked.remove(peer);
        pauses.failed(peer, System.nanoTime());
    }

    private static void give(@Nullable Socket socket, @Nullable LinkEnds ends) {
        if (ends != null) {
            ends.close();
        }
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            // it is gone either way
        }
    }

    private void watch(InetSocketAddress peer, LinkEnds ends, int number) {
        ends.exchange().awaitEnd();
        ends.link().fail("its side has ended");
        String why = ends.link().reason();
        ends.close();
        linked.remove(peer);
        if (!closed) {
            Loss loss = new Loss(number, "lost the link with " + ends.exchange().who() + " at " + peer + ": " + why);
            losses.put(ends.link().agent(), loss);
            say(peer, loss.why);
        }
    }

    /** Connections that were made so far. */
    public int made() {
        return made.get();
    }

    /** The number, counted from 1 as they were made, of the agent's connection that broke last; 0 if none has. */
    public int lost(int agent) {
        return losses.getOrDefault(agent, Loss.NONE).number;
    }

    /** Why it broke. */
    public String lostWhy(int agent) {
        return losses.getOrDefault(agent, Loss.NONE).why;
    }

    /** Says what changed. */
    private void say(InetSocketAddress peer, String what) {
        if (!what.equals(saidOf.put(peer, what))) {
            setup.say().accept(what);
        }
    }

    /** Number of agents' processes that are linked now. */
    public int links() {
        return linked.size();
    }

    /** Removes the file of the copy. */
    public void unlink() {
        mirror.unlink();
    }

    @Override
    public void close() {
        closed = true;
        linked.values().forEach(ends -> {
            ends.link().settle(); // that the host ends is the last that its agents hear
            ends.exchange().close();
        });
        for (List<Thread> all = alive(); !all.isEmpty(); all = alive()) {
            callees.values().forEach(socket -> give(socket, null)); // a call that had not begun yet, too
            all.forEach(LockSupport::unpark);
            all.forEach(MirrorHost::join);
        }
        mirror.close();
    }

    private synchronized List<Thread> alive() {
        threads.removeIf(thread -> !thread.isAlive());
        return List.copyOf(threads);
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true; // it must not use the memory any more when this returns
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
