package dev.bascule.host;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.HostControl;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.ffi.LibVerbs;
import dev.bascule.ffi.Verbs;
import dev.bascule.memory.DamagedFile;
import dev.bascule.memory.Window;
import dev.bascule.rdma.MirrorAgent;
import dev.bascule.rdma.MirrorHost;
import dev.bascule.rdma.PeerRefusal;
import dev.bascule.rdma.RdmaOptions;
import dev.bascule.rdma.RdmaPorts;
import dev.bascule.ring.Waiter;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A mirrored region: host and agent each hold a copy, and RDMA verbs carry the stores of each to the
 * other's. Agents listen and the host calls; on one machine they find each other by the run directory.
 */
public final class MirrorPlace implements Place {
    private static final Path SYSFS = Path.of("/sys");
    private static final String COPY = "mirror.mem";
    private static final String LOCK = "mirror.lock";
    private static final int BACKLOG = 512;
    /** Threads of a host that look at the agent's copy, beside each CPU's. */
    private static final int OTHER_THREADS = 4;
    private static final int CALL_MILLIS = 1_000;
    /** The host of this machine lives, or its agent would not; it may be at another call. */
    private static final int CALL_HERE_MILLIS = 30_000;

    private static final System.Logger LOG = System.getLogger(MirrorPlace.class.getName());

    private final Path directory;
    private final boolean keep;
    private final RdmaPeers here;
    private final Path sysfs;
    private final Supplier<Verbs> verbs;
    private final UnaryOperator<RdmaOptions> options;
    private final Map<AgentLinks, MirrorAgent> agents = new HashMap<>();
    private boolean keepsCopies = true;
    private @Nullable MirrorHost host;
    private @Nullable DirectoryLock lock;
    private volatile Consumer<String> news = line -> LOG.log(System.Logger.Level.DEBUG, line);

    /**
     * In a directory that exists and has been told its peers by {@link #assign}.
     *
     * @param keep leave the copy in place on close, so that a later host can take it over
     */
    public MirrorPlace(Path directory, boolean keep) {
        this(directory, keep, SYSFS, LibVerbs::load, UnaryOperator.identity());
    }

    /**
     * @param sysfs normally {@code /sys}
     * @param options what a test wants different
     */
    MirrorPlace(Path directory, boolean keep, Path sysfs, Supplier<Verbs> verbs, UnaryOperator<RdmaOptions> options) {
        this.directory = directory;
        this.keep = keep;
        here = new RdmaPeers(directory);
        this.sysfs = sysfs;
        this.verbs = verbs;
        this.options = options;
    }

    /** Says in a run directory how its region is mirrored. */
    public static void assign(Path directory, RdmaSetup setup) {
        setup.writeTo(directory);
    }

    /** Whether the region of a run directory is mirrored over RDMA. */
    public static boolean isAssigned(Path directory) {
        return RdmaSetup.isIn(directory);
    }

    /** Sets the listener that is told when agents come and go; from any thread. */
    public void onNews(Consumer<String> listener) {
        news = listener;
    }

    /**
     * For an agent that listens: whether there is a device at its address.
     *
     * @throws dev.bascule.device.DeviceException if not, with the reason
     */
    public static void requireDevice(Path directory) {
        RdmaSetup setup = RdmaSetup.readFrom(directory);
        RdmaPorts.requireUsable(SYSFS, setup.options(), setup.listenAddress().getAddress());
        setup.credentials(directory); // which read the secret
    }

    // ---- host

    @Override
    public RegionLinks lay(Protocol protocol, EnclaveShape shape, @Nullable String damage) {
        if (protocol.isWord()) {
            throw new AgentException("transport " + protocol.name() + " in its one-word mode over RDMA: both ends would"
                    + " compare-and-swap one word, but an adapter's atomic operation on it is none against a CPU's;"
                    + " use another mode: --swap-mode swap1");
        }
        if (lock == null) {
            lock = DirectoryLock.take(directory, LOCK);
        }
        RdmaSetup setup = RdmaSetup.readFrom(directory);
        if (damage != null) {
            closeHost(false);
            DamagedFile.setAside(directory.resolve(COPY), damage);
        }
        List<CpuBell> bells = IntStream.range(0, shape.cpus()).mapToObj(cpu -> new CpuBell()).toList();
        MirrorHost made = new MirrorHost(verbs.get(),
                new MirrorHost.Setup(sysfs, options.apply(setup.options()), setup.credentials(directory),
                        protocol.name(), shape.agents(), line -> news.accept(line)),
                directory.resolve(COPY), sizes(protocol, shape), cpu -> ring(bells, cpu));
        host = made;
        if (damage == null && made.isNew()) { // an agent's copy of a former host's region is gone on with
            made.takeOver(setup.peerAddresses());
        }
        return links(made, List.copyOf(bells));
    }

    /** Calls agents from now on. */
    @Override
    public void opened() {
        MirrorHost made = host;
        if (made != null) {
            RdmaSetup setup = RdmaSetup.readFrom(directory);
            List<InetSocketAddress> peers = setup.peerAddresses();
            made.serve(setup.isHere() ? here::list : () -> peers, setup.isHere() ? here::forget : peer -> {});
        }
    }

    private static MirrorHost.Sizes sizes(Protocol protocol, EnclaveShape shape) {
        Protocol.Sizes sizes = protocol.sizes(shape);
        return new MirrorHost.Sizes(sizes.nicBytes(), sizes.sharedBytes(), sizes.hostBytes() - sizes.sharedBytes(),
                shape.cpus() + OTHER_THREADS);
    }

    /** Watches an agent that is started elsewhere, by its number; for the host of this place. */
    public AgentSupervisor linkedAgent(int agent) {
        return new ExternalAgent(new LinkWatch(() -> host, agent));
    }

    private static void ring(List<CpuBell> bells, int cpu) {
        if (cpu >= 0 && cpu < bells.size()) { // the agent chose the number
            bells.get(cpu).ring();
        }
    }

    private static RegionLinks links(MirrorHost mirror, List<Waiter> waiters) {
        MirrorHost.Windows windows = mirror.windows();
        return new RegionLinks(windows.nic(), windows.nic(), windows.hostMemory(), waiters,
                () -> links(mirror, waiters));
    }

    private void closeHost(boolean remove) {
        MirrorHost made = host;
        host = null;
        if (made != null) {
            if (remove) {
                made.unlink();
            }
            made.close();
        }
    }

    // ---- agent

    @Override
    public AgentLinks find(Protocol protocol, int agent) {
        if (!RdmaSetup.isIn(directory)) {
            throw new AgentException("attach over RDMA to " + directory + ": no host uses it; start the host first");
        }
        RdmaSetup setup = RdmaSetup.readFrom(directory);
        keepsCopies = !setup.isHere(); // for a host that takes over; on one machine its own copy is nearer
        if (!setup.listen().isEmpty()) {
            closeAgents(); // the host calls each address once
        }
        MirrorAgent mirror = called(protocol, setup, agent);
        AgentLinks links = new AgentLinks(mirror.nicMemory(), mirror.hostMemory(), null, mirror::ring);
        agents.put(links, mirror);
        return links;
    }

    @Override
    public void giveBack(AgentLinks links) {
        MirrorAgent mirror = agents.remove(links);
        if (mirror != null) {
            close(mirror);
        }
    }

    private MirrorAgent called(Protocol protocol, RdmaSetup setup, int agent) {
        InetSocketAddress wanted = setup.listenAddress();
        try (ServerSocket listener = new ServerSocket()) {
            listener.bind(wanted, BACKLOG);
            InetSocketAddress own = (InetSocketAddress) listener.getLocalSocketAddress();
            Path copy = directory.resolve(setup.isHere() ? "agent-" + own.getPort() + ".mem" : COPY);
            try {
                if (setup.isHere()) {
                    here.announce(own);
                }
                MirrorHost ours = host;
                if (ours != null) {
                    ours.callNow();
                }
                return MirrorAgent.answer(verbs.get(),
                        new MirrorAgent.Setup(sysfs, options.apply(setup.options()), setup.credentials(directory),
                                protocol.name(), agent),
                        listener, setup.isHere() ? CALL_HERE_MILLIS : CALL_MILLIS, copy,
                        nic -> hostHasGone(nic, agent));
            } finally {
                if (setup.isHere()) {
                    here.forget(own);
                }
            }
        } catch (PeerRefusal e) {
            throw new AgentException("attach over RDMA: " + e.getMessage(), e);
        } catch (SocketTimeoutException e) {
            throw new AgentException("attach over RDMA at " + wanted + ": no host has called; start it: "
                    + (setup.isHere() ? "bascule run --link rdma" : "bascule run --link rdma --peer " + setup.listen()),
                    e);
        } catch (EOFException e) {
            throw new AgentException("attach over RDMA at " + wanted + ": the host has hung up", e);
        } catch (IOException e) {
            throw new AgentException("attach over RDMA at " + wanted + ": " + e.getMessage()
                    + "; name an address of this machine that is free, and look at the host", e);
        }
    }

    /** For the agent it is as if the host had closed. */
    private static void hostHasGone(Window nic, int agent) {
        HostControl control = new HostControl(nic, RegionLayout.hostControl(agent));
        control.write(control.epoch(), true, 0);
    }

    @Override
    public AgentLinks beside(Protocol protocol, int agent) {
        throw new AgentException("take over from agent " + agent + " over RDMA: agents of one machine have no memory in"
                + " common that both see at once; end the agent at work (SIGTERM), and start the new one");
    }

    private void closeAgents() {
        agents.values().forEach(this::close);
        agents.clear();
    }

    private void close(MirrorAgent mirror) {
        mirror.close();
        if (!keepsCopies) {
            mirror.unlink();
        }
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public void close() {
        boolean wasHost = lock != null;
        closeAgents();
        closeHost(!keep);
        DirectoryLock held = lock;
        lock = null;
        if (held != null) {
            if (!keep) {
                held.forget();
            }
            held.close();
        }
        if (wasHost && !keep) {
            RdmaSetup.removeFrom(directory);
        }
    }
}
