package dev.bascule.host;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.config.CardConfig;
import dev.bascule.config.HardwareConfigs;
import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.nic.ivshmem.IvshmemDriver;
import dev.bascule.nic.ivshmem.IvshmemRegisters;
import dev.bascule.nic.smartnic.CardCores;
import dev.bascule.nic.smartnic.SmartNicDriver;
import dev.bascule.pci.AtomicOpsPath;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.PciAddress;
import dev.bascule.vfio.VfioDevice;
import dev.bascule.vfio.VfioOptions;
import dev.bascule.vfiouser.VfioUserDevice;
import dev.bascule.vfiouser.VfioUserOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A card's memory: a SmartNIC's, which its host sees in a BAR and its cores reach in their own way,
 * or that of two ivshmem devices. The run directory says in the file {@value #FILE} how each end reaches it.
 */
public final class CardPlace implements Place {
    /** The file of a run directory that makes its region one of a card. */
    public static final String FILE = "devices";

    /** Reaches a device by the kernel's VFIO, or a served one by its socket. */
    public static final Opener OPENER = new PlainOpener();

    private final Path directory;
    private final boolean keep;
    private final boolean writeCombining;
    private final Opener opener;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private @Nullable HostRegion region;

    /** Reaches a device. */
    @FunctionalInterface
    public interface Opener {
        /**
         * Opens it.
         *
         * @param device PCI address, or socket
         * @param writeCombining BARs to map write-combining
         */
        DeviceBacking open(String device, Set<Integer> writeCombining);

        /**
         * Opens it, and bears with the server at a socket for that long, as {@link VfioUserOptions#timeoutNanos} says; an
         * opener of other devices has no use for that.
         */
        default DeviceBacking open(String device, Set<Integer> writeCombining, long silenceNanos) {
            return open(device, writeCombining);
        }
    }

    /**
     * In a directory that exists and has been told its ends by {@link #assign}.
     *
     * @param keep leave the region in place on close, so that a later host can take it over
     * @param writeCombining whether NIC memory is written through a write-combining mapping, where that can be had
     * @param opener reaches a device, normally {@link #OPENER}
     */
    public CardPlace(Path directory, boolean keep, boolean writeCombining, Opener opener) {
        this.directory = directory;
        this.keep = keep;
        this.writeCombining = writeCombining;
        this.opener = opener;
    }

    /** Whether the region of a run directory is one of a card. */
    public static boolean isAssigned(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }

    /** Says how the ends of a run directory's region reach it. */
    public static void assign(Path directory, CardEnd host, CardEnd agent) {
        if (host.equals(agent)) {
            throw new DeviceException("choose devices", host.line().replace('\t', ' '),
                    "host and agent need one each", "name two ivshmem devices of one server: bascule devices");
        }
        try {
            Files.writeString(directory.resolve(FILE), host.line() + "\n" + agent.line() + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException("write " + directory.resolve(FILE) + ": " + e.getMessage(), e);
        }
    }

    /** Description of what a host has laid out in the card's memory, for people; empty if none has. */
    public static String laidOut(CardCores cores) {
        return CoresRegion.describe(cores);
    }

    /** Transport whose host has its region in the card, as in {@link dev.bascule.agent.RegionHeader}. */
    static int kindIn(Path directory) {
        try (CardPlace place = new CardPlace(directory, true, false, OPENER)) {
            return CoresRegion.transport(place.cores());
        }
    }

    private static final class PlainOpener implements Opener {
        @Override
        public DeviceBacking open(String device, Set<Integer> writeCombining) {
            return open(device, writeCombining, VfioUserOptions.DEFAULT.timeoutNanos());
        }

        @Override
        public DeviceBacking open(String device, Set<Integer> writeCombining, long silenceNanos) {
            return device.contains("/")
                    ? VfioUserDevice.open(Path.of(device), VfioUserOptions.DEFAULT.withTimeoutNanos(silenceNanos))
                    : VfioDevice.open(PciAddress.parse(device), VfioOptions.DEFAULT.withWriteCombining(writeCombining));
        }
    }

    /** A served function's AtomicOps are the server's locked instructions; a real one's have a way to go. */
    private static AtomicOpsPath atomics(String device, ConfigSpace config) {
        return device.contains("/")
                ? AtomicOpsPath.ofServed(config)
                : AtomicOpsPath.of(config, Path.of("/sys"), PciAddress.parse(device));
    }

    private static CardEnd place(Path directory, int line) {
        try {
            List<String> lines = Files.readAllLines(directory.resolve(FILE));
            if (lines.size() != 2) {
                throw new DeviceException("read devices", directory.resolve(FILE).toString(),
                        "it has " + lines.size() + " lines, not one for the host and one for the agent",
                        "start the host again");
            }
            return CardEnd.parse(lines.get(line));
        } catch (IOException e) {
            throw new UncheckedIOException("read " + directory.resolve(FILE) + ": " + e.getMessage(), e);
        }
    }

    private <T extends AutoCloseable> T owned(T resource) {
        opened.add(resource);
        return resource;
    }

    private HostCard hostCard() {
        return switch (place(directory, 0)) {
            case CardEnd.Ivshmem ivshmem -> ivshmem(ivshmem.address(),
                    combined(IvshmemRegisters.MEMORY_BAR));
            case CardEnd.Function function -> {
                CardConfig config = HardwareConfigs.load(function.config()).card();
                DeviceBacking device = owned(opener.open(function.device(),
                        combined(config.region().bar()), function.silenceNanos()));
                yield new FunctionCard(SmartNicDriver.open(device, config),
                        space -> atomics(function.device(), space));
            }
            case CardEnd.Cores _,CardEnd.Elsewhere _ -> throw elsewhere("the host");
        };
    }

    private CardCores cores() {
        return switch (place(directory, 1)) {
            case CardEnd.Ivshmem ivshmem -> ivshmem(ivshmem.address(), Set.of());
            case CardEnd.Cores cores -> owned(
                    CardCores.open(HardwareConfigs.load(cores.config()).card().withCoresPath(cores.path())));
            case CardEnd.Function _,CardEnd.Elsewhere _ -> throw elsewhere("the agent");
        };
    }

    private IvshmemCard ivshmem(PciAddress address, Set<Integer> combining) {
        return new IvshmemCard(IvshmemDriver.open(owned(opener.open(address.toString(), combining))));
    }

    private Set<Integer> combined(int bar) {
        return writeCombining ? Set.of(bar) : Set.of();
    }

    private DeviceException elsewhere(String who) {
        return new DeviceException("choose devices", directory.resolve(FILE).toString(), who + " is in another machine",
                "start it there, with a device of that machine");
    }

    /**
     * {@inheritDoc}
     * <p>
     * A one-word protocol is refused unless AtomicOps get to host memory (pushed) or to the card's; see
     * {@link AtomicOpsPath}.
     */
    @Override
    public RegionLinks lay(Protocol protocol, EnclaveShape shape, @Nullable String damage) {
        HostRegion made = region;
        if (made == null) {
            made = new HostRegion(hostCard(), directory, writeCombining);
            region = made;
        }
        made.close(); // what was laid out over the damage
        if (protocol.isWord()) {
            made.requireOneWord(protocol.isPush());
        }
        Protocol.Sizes sizes = protocol.sizes(shape);
        long hostBytes = room(sizes.hostBytes());
        made.create(protocol.kind(), room(sizes.nicBytes()), hostBytes,
                sizes.sharedBytes() < sizes.hostBytes() ? sizes.sharedBytes() : hostBytes, damage == null);
        return made.links(shape.cpus());
    }

    private static long room(long bytes) {
        return Math.max(4096, Long.highestOneBit(bytes - 1) << 1);
    }

    /** Tells the card. */
    @Override
    public void opened() {
        HostRegion made = region;
        if (made != null) {
            made.announce();
        }
    }

    @Override
    public AgentLinks find(Protocol protocol, int agent) {
        CoresRegion found = CoresRegion.attach(cores(), protocol.kind());
        return new AgentLinks(found.nic(), found.hostMemory(), null, found.bell());
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public String objection() {
        HostRegion made = region;
        return made == null ? "" : made.objection();
    }

    @Override
    public void close() {
        HostRegion made = region;
        region = null;
        if (made != null) {
            if (!keep) {
                made.forget();
            }
            made.close();
        }
        for (int i = opened.size() - 1; i >= 0; i--) {
            close(opened.get(i));
        }
        opened.clear();
    }

    private static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
