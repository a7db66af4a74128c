package dev.bascule.cli;

import dev.bascule.config.ConfigException;
import dev.bascule.config.DeviceKind;
import dev.bascule.config.HardwareConfig;
import dev.bascule.config.HardwareConfigs;
import dev.bascule.host.CardEnd;
import dev.bascule.host.Placement;
import dev.bascule.run.AgentStart;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.run.RegionPlace;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** In whose memory host and agent meet; shared options. */
public final class RegionOption {
    private static final String LOOPBACK = "loopback";

    @Option(names = "--device", split = ",", paramLabel = "DEVICE", description = "the region is in a SmartNIC's memory: a configuration that says where ('region'), the PCI address of its function, or the socket of a served one; or HOST,AGENT: the BAR that two ivshmem devices share (with --external-agent the host's alone)")
    private List<String> devices = List.of();

    @Option(names = "--agent-command", paramLabel = "WORDS", description = AgentStart.OPTION)
    private @Nullable String by;

    @Mixin
    private DeviceTimeout timeout = new DeviceTimeout();

    @Mixin
    private LinkOption link = new LinkOption();

    /**
     * Hardware configuration and place of the region that the user chose.
     *
     * @param hardware limits and options
     * @param place where the region is
     */
    public record Chosen(HardwareConfig hardware, RegionPlace place) {}

    /** Whether each side has a copy of the region. */
    boolean hasLink() {
        return link.isRdma();
    }

    /** Whether agents are on other machines, which the host calls. */
    public boolean hasPeers() {
        return link.hasPeers();
    }

    /** Command that starts agents on the card's cores; null: this program starts them. */
    @Nullable
    public String by() {
        return by;
    }

    /**
     * Puts {@code --device} and {@code --config} together.
     *
     * @param config what the user named, if anything
     * @param external whether agents are started by hand
     */
    public Chosen choose(@Nullable String config, boolean external, Placement placement) {
        if (link.isRdma()) {
            return mirrored(config);
        }
        HardwareConfig given = config == null ? null : load(config);
        if (given != null && given.kind() == DeviceKind.RDMA) {
            throw new Failure("configuration " + given.name() + " is of kind rdma; add --link rdma");
        }
        boolean isCard = given != null && CardDevice.isSmartNic(given);
        if (given != null && given.kind() != DeviceKind.LOOPBACK && !isCard) {
            throw new Failure("configuration " + given.name() + " describes a PCI device of driver "
                    + given.device().driver() + "; name one of kind loopback, or one whose device.driver is "
                    + CardDevice.SMARTNIC);
        }
        if (devices.isEmpty() && !isCard) {
            if (by != null) {
                throw new Misuse("--agent-command: there is no card to start agents on; name one with --device");
            }
            return new Chosen(given != null ? given : load(LOOPBACK), RegionPlace.HERE);
        }
        RegionPlace place = card(isCard ? Optional.ofNullable(config) : Optional.empty(), external);
        if (placement == Placement.COHERENT) {
            throw new Misuse("--placement coherent: a card behind PCIe is not coherent with the host's caches; pull or"
                    + " push");
        }
        if (given == null) {
            given = load(place.host() instanceof CardEnd.Function function ? function.config() : LOOPBACK);
        }
        return new Chosen(given, place);
    }

    private Chosen mirrored(@Nullable String config) {
        if (!devices.isEmpty() || by != null) {
            throw new Misuse("--link rdma: each side has a copy of the region in its own memory; leave --device and"
                    + " --agent-command out");
        }
        HardwareConfig hardware = link.config(config);
        return new Chosen(hardware, new RegionPlace(null, null, link.setup(hardware)));
    }

    private RegionPlace card(Optional<String> config, boolean external) {
        if (devices.size() > 2) {
            throw new Misuse("--device takes one device, or two of ivshmem: the host's and the agent's");
        }
        CardEnd host = CardDevice.host(devices.isEmpty() ? "" : devices.getFirst(), config, timeout.nanos());
        if (devices.size() == 2) {
            return RegionPlace.card(host, CardDevice.cores(devices.get(1), ""));
        }
        if (external || by != null) {
            return RegionPlace.card(host, new CardEnd.Elsewhere());
        }
        CardEnd agent = CardDevice.coresOf(host);
        if (agent instanceof CardEnd.Elsewhere) {
            throw new Failure(host instanceof CardEnd.Ivshmem
                    ? "--device takes two addresses of ivshmem devices, the host's and the agent's: --device"
                            + " 00:04.0,00:05.0; with --external-agent the host's alone"
                    : "the configuration says no way to the card's cores from this machine ('cores'): start the agent"
                            + " there and add --external-agent, or let --agent-command start it");
        }
        return RegionPlace.card(host, agent);
    }

    static HardwareConfig load(String name) {
        try {
            return HardwareConfigs.load(name);
        } catch (ConfigException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        }
    }
}
