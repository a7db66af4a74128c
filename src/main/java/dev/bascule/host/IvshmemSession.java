package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.agent.region.Succession;
import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.memory.MemoryType;
import dev.bascule.nic.ivshmem.IvshmemDriver;
import dev.bascule.pci.PciAddress;
import dev.bascule.ring.Waiter;
import dev.bascule.swap.SwapAgent;
import dev.bascule.swap.SwapHost;
import dev.bascule.swap.SwapOptions;
import dev.bascule.vfio.VfioDevice;
import dev.bascule.vfio.VfioOptions;
import dev.bascule.wave.WaveAgent;
import dev.bascule.wave.WaveHost;
import dev.bascule.wave.WaveOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Wave or the swap over a real PCI BAR: host and agent each drive an ivshmem device of their own, and both devices share
 * their memory. The run directory names the two devices, host's first, in the file {@value #FILE}.
 */
public final class IvshmemSession implements TransportSession {
    /** The file of a run directory that makes its region one of devices. */
    public static final String FILE = "devices";

    private static final String ELSEWHERE = "elsewhere";

    /** Reaches devices through the kernel's VFIO. */
    public static final Function<PciAddress, DeviceBacking> VFIO = address -> VfioDevice.open(address,
            VfioOptions.DEFAULT);

    private final Path directory;
    private final Ends ends;
    private final boolean keep;
    private final Function<PciAddress, DeviceBacking> opener;
    private final List<DeviceBacking> opened = new ArrayList<>();
    private @Nullable IvshmemRegion region;

    /** A transport's two ends over a region. */
    private interface Ends {
        String name();

        MechanismEnd host(IvshmemRegion region, EnclaveShape shape);

        AgentEnd agent(IvshmemRegion region, int agent);

        Succession successor(IvshmemRegion region, int agent);
    }

    private IvshmemSession(Path directory, Ends ends, boolean keep, Function<PciAddress, DeviceBacking> opener) {
        this.directory = directory;
        this.ends = ends;
        this.keep = keep;
        this.opener = opener;
    }

    /**
     * Wave in a directory that exists and has been given its devices by {@link #assign}.
     *
     * @param keep leave the region in place on close, so that a later host can take it over
     * @param opener reaches a device, normally {@link #VFIO}
     */
    public static IvshmemSession wave(Path directory, WaveOptions options, boolean keep,
            Function<PciAddress, DeviceBacking> opener) {
        return new IvshmemSession(directory, new WaveEnds(options), keep, opener);
    }

    /** The bilateral swap, otherwise as {@link #wave}. Modes that need coherent memory are refused by the swap itself. */
    public static IvshmemSession swap(Path directory, SwapOptions options, boolean keep,
            Function<PciAddress, DeviceBacking> opener) {
        return new IvshmemSession(directory, new SwapEnds(options), keep, opener);
    }

    private record WaveEnds(WaveOptions options) implements Ends {
        @Override
        public String name() {
            return WaveSession.NAME;
        }

        @Override
        public MechanismEnd host(IvshmemRegion region, EnclaveShape shape) {
            region.create(name(), room(WaveHost.nicBytes(shape)), room(WaveHost.hostBytes(shape)));
            // The kernel offers no write-through mapping: what the NIC wrote is read uncached.
            return WaveHost.open(links(region, region.waiters(shape.cpus())), shape, options);
        }

        private static RegionLinks links(IvshmemRegion region, List<Waiter> waiters) {
            return new RegionLinks(region.nicMemory(MemoryType.WC), region.nicMemory(MemoryType.UC),
                    region.hostMemory(),
                    waiters, () -> links(region, waiters));
        }

        @Override
        public AgentEnd agent(IvshmemRegion region, int agent) {
            region.attach(name());
            return WaveAgent.attach(region.nicMemory(MemoryType.UC), region.hostMemory(), agent, LocalSession.nonce(),
                    region.bell());
        }

        @Override
        public Succession successor(IvshmemRegion region, int agent) {
            region.attach(name());
            return WaveAgent.succeed(region.nicMemory(MemoryType.UC), region.hostMemory(), agent, LocalSession.nonce());
        }
    }

    private record SwapEnds(SwapOptions options) implements Ends {
        @Override
        public String name() {
            return SwapSession.NAME;
        }

        @Override
        public MechanismEnd host(IvshmemRegion region, EnclaveShape shape) {
            region.create(name(), room(SwapHost.nicBytes(shape, options)), room(SwapHost.hostBytes(shape, options)));
            return SwapHost.open(links(region, region.waiters(shape.cpus())), shape, options);
        }

        private static RegionLinks links(IvshmemRegion region, List<Waiter> waiters) {
            return new RegionLinks(region.nicMemory(MemoryType.WC), region.nicMemory(MemoryType.UC),
                    region.hostMemory(),
                    null, waiters, () -> links(region, waiters));
        }

        @Override
        public AgentEnd agent(IvshmemRegion region, int agent) {
            region.attach(name());
            return SwapAgent.attach(region.nicMemory(MemoryType.UC), region.hostMemory(), null, agent,
                    LocalSession.nonce(), region.bell());
        }

        @Override
        public Succession successor(IvshmemRegion region, int agent) {
            region.attach(name());
            return SwapAgent.succeed(region.nicMemory(MemoryType.UC), region.hostMemory(), agent, LocalSession.nonce());
        }
    }

    /** Whether the region of a run directory is one of devices. */
    public static boolean isAssigned(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }

    /** Says which devices a run directory uses: the host's, and the agent's. */
    public static void assign(Path directory, PciAddress host, PciAddress agent) {
        if (host.equals(agent)) {
            throw new DeviceException("choose devices", host.toString(), "host and agent need one each",
                    "name two ivshmem devices of one server: bascule devices");
        }
        write(directory, host + "\n" + agent + "\n");
    }

    /** For a host whose agent is in another machine: only the host's device is named. */
    public static void assignHost(Path directory, PciAddress host) {
        write(directory, host + "\n" + ELSEWHERE + "\n");
    }

    /** For an agent whose host is in another machine: only the agent's device is named. */
    public static void assignAgent(Path directory, PciAddress agent) {
        write(directory, ELSEWHERE + "\n" + agent + "\n");
    }

    private static void write(Path directory, String devices) {
        try {
            Files.writeString(directory.resolve(FILE), devices);
        } catch (IOException e) {
            throw new UncheckedIOException("write " + directory.resolve(FILE) + ": " + e.getMessage(), e);
        }
    }

    private IvshmemRegion open(int line) {
        try {
            List<String> addresses = Files.readAllLines(directory.resolve(FILE));
            if (addresses.size() != 2) {
                throw new DeviceException("read devices", directory.resolve(FILE).toString(),
                        "it has " + addresses.size() + " lines, not the host's and the agent's device",
                        "start the host again");
            }
            if (addresses.get(line).equals(ELSEWHERE)) {
                throw new DeviceException("choose devices", directory.resolve(FILE).toString(),
                        (line == 0 ? "the host" : "the agent") + " is in another machine",
                        "start it there, with a device of that machine");
            }
            DeviceBacking device = opener.apply(PciAddress.parse(addresses.get(line)));
            opened.add(device);
            return new IvshmemRegion(IvshmemDriver.open(device));
        } catch (IOException e) {
            throw new UncheckedIOException("read " + directory.resolve(FILE) + ": " + e.getMessage(), e);
        }
    }

    @Override
    public String name() {
        return ends.name();
    }

    @Override
    public MechanismEnd openHost(EnclaveShape shape) {
        IvshmemRegion made = open(0);
        region = made;
        return ends.host(made, shape);
    }

    private static long room(long bytes) {
        return Math.max(4096, Long.highestOneBit(bytes - 1) << 1);
    }

    @Override
    public AgentEnd attach(int agent) {
        return ends.agent(open(1), agent);
    }

    @Override
    public Succession succeed(int agent) {
        return ends.successor(open(1), agent);
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public void close() {
        if (region != null && !keep) {
            region.forget();
        }
        region = null;
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
        opened.clear();
    }
}
