package dev.bascule.cli;

import dev.bascule.config.DeviceKind;
import dev.bascule.config.HardwareConfig;
import dev.bascule.doctor.Machine;
import dev.bascule.host.RdmaSetup;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the link that the region of host and agents lies on. */
final class LinkOption {
    static final String LOOPBACK = "loopback";
    static final String RDMA = "rdma";
    private static final String HERE = "~/";

    @OneOf({ "loopback", "rdma" })
    @Option(names = "--link", defaultValue = LOOPBACK, paramLabel = "NAME", description = "loopback: the region of a simulated SmartNIC or a device; rdma: a copy on each side, mirrored by RDMA verbs; default ${DEFAULT-VALUE}")
    private String link = LOOPBACK;

    @Option(names = "--peer", split = ",", paramLabel = "ADDRESS", description = "with --link rdma: where agents listen (bascule agent --link rdma --listen ADDRESS), HOST or HOST:PORT; default: this program starts them, on this machine")
    private List<String> peers = List.of();

    boolean isRdma() {
        return switch (link) {
            case RDMA -> true;
            case LOOPBACK -> {
                if (!peers.isEmpty()) {
                    throw new Misuse("--peer: agents elsewhere are reached by --link rdma");
                }
                yield false;
            }
            default -> throw new AssertionError(link);
        };
    }

    /** Whether the agents are elsewhere. */
    boolean hasPeers() {
        return isRdma() && !peers.isEmpty();
    }

    /** The configuration that was named, or that of the link. */
    static HardwareConfig config(@Nullable String named) {
        HardwareConfig hardware = RegionOption.load(named == null ? RDMA : named);
        if (hardware.kind() != DeviceKind.RDMA) {
            throw new Failure("configuration " + hardware.name() + " is of kind " + hardware.kind().word()
                    + "; --link rdma needs one of kind rdma: --config rdma");
        }
        return hardware;
    }

    /** How the region is mirrored. */
    RdmaSetup setup(HardwareConfig hardware) {
        return hasPeers() ? named(hardware).withPeers(peers) : nameless(hardware.rdma());
    }

    /** For sides that find each other by a directory of this machine: it holds their secret. */
    private static RdmaSetup nameless(HardwareConfig.Rdma rdma) {
        return new RdmaSetup(rdma.device(), rdma.port(), rdma.gidIndex(), rdma.trafficClass(), rdma.stallNanos(), "",
                "",
                "", List.of(), "");
    }

    /** For an agent that listens. */
    static RdmaSetup listening(String config, String address) {
        return named(config(config)).withListen(address);
    }

    private static RdmaSetup named(HardwareConfig hardware) {
        HardwareConfig.Rdma rdma = hardware.rdma();
        if (rdma.secretFile().isEmpty()) {
            throw new Failure("configuration " + hardware.name() + " names no secret that both sides know; add"
                    + " rdma.secretFile: \"~/.config/bascule/rdma.secret\"");
        }
        String file = rdma.secretFile().startsWith(HERE)
                ? System.getProperty("user.home") + rdma.secretFile().substring(1)
                : rdma.secretFile();
        String name = rdma.name().isEmpty() ? Machine.text(Path.of("/proc/sys/kernel/hostname")) : rdma.name();
        return new RdmaSetup(rdma.device(), rdma.port(), rdma.gidIndex(), rdma.trafficClass(), rdma.stallNanos(), name,
                rdma.peer(), file, List.of(), "");
    }
}
