package dev.bascule.rdma;

import dev.bascule.device.DeviceException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The RDMA ports of this machine. Reads files only; needs neither rights nor libibverbs. */
public final class RdmaPorts {
    private static final int MOST_GIDS = 256;
    private static final String LIST = "rdma link shows what there is; without a card: sudo modprobe rdma_rxe && sudo rdma"
            + " link add rxe0 type rxe netdev NETDEV";

    private RdmaPorts() {}

    /**
     * All of them, by name.
     *
     * @param sysfs normally {@code /sys}
     */
    public static List<RdmaPort> list(Path sysfs) {
        List<RdmaPort> ports = new ArrayList<>();
        for (Path device : folders(sysfs.resolve("class/infiniband"))) {
            for (Path port : folders(device.resolve("ports"))) {
                if (port.getFileName().toString().matches("\\d{1,3}")) {
                    ports.add(read(device, port));
                }
            }
        }
        return ports;
    }

    private static List<Path> folders(Path parent) {
        try (Stream<Path> all = Files.list(parent)) {
            return all.sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static RdmaPort read(Path device, Path port) {
        List<RdmaGid> gids = new ArrayList<>();
        for (int i = 0; i < MOST_GIDS; i++) {
            byte[] gid = gid(text(port.resolve("gids/" + i)));
            if (gid != null) {
                gids.add(new RdmaGid(i, gid, text(port.resolve("gid_attrs/types/" + i))));
            }
        }
        return new RdmaPort(device.getFileName().toString(), Integer.parseInt(port.getFileName().toString()),
                behindColon(text(device.resolve("node_type"))), behindColon(text(port.resolve("state"))),
                text(port.resolve("link_layer")), gids, pci(device));
    }

    private static String pci(Path device) {
        try {
            String name = device.resolve("device").toRealPath().getFileName().toString();
            return name.matches("[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]") ? name : "";
        } catch (IOException e) {
            return "";
        }
    }

    /** Files like {@code 4: ACTIVE}. */
    private static String behindColon(String text) {
        return text.substring(text.indexOf(':') + 1).strip();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return ""; // an entry that is not set cannot be read
        }
    }

    /** 16 bytes of {@code 0000:...:0000}; null if all are zero, or it is none. */
    private static byte @Nullable [] gid(String text) {
        String digits = text.replace(":", "");
        if (!digits.matches("[0-9a-f]{32}") || digits.matches("0{32}")) {
            return null;
        }
        byte[] bytes = new byte[16];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
        }
        return bytes;
    }

    /**
     * Whether a connection can leave by a local address.
     *
     * @param sysfs normally {@code /sys}
     * @throws DeviceException if not, with the reason
     */
    public static void requireUsable(Path sysfs, RdmaOptions options, InetAddress local) {
        choose(sysfs, options, local);
    }

    /**
     * The port and address that a connection leaves by.
     *
     * @param local address of this side; one of this machine alone (127.0.0.1) stands for any
     * @throws DeviceException if there is none, it is down, or of a kind that keeps no order
     */
    static RdmaAddress choose(Path sysfs, RdmaOptions options, InetAddress local) {
        List<RdmaPort> ports = list(sysfs).stream()
                .filter(port -> options.device().isEmpty() || port.device().equals(options.device()))
                .filter(port -> options.port() == 0 || port.port() == options.port()).toList();
        if (ports.isEmpty()) {
            throw new DeviceException("choose RDMA device", options.device().isEmpty() ? "any" : options.device(),
                    "this machine has none", LIST);
        }
        Optional<RdmaAddress> found = options.gidIndex() >= 0
                ? ports.stream().flatMap(port -> gids(port).filter(at -> at.gid().index() == options.gidIndex()))
                        .findFirst()
                : of(ports, local);
        RdmaAddress chosen = found.orElseThrow(() -> new DeviceException("choose RDMA device", ports.toString(),
                "no port has the address " + local.getHostAddress() + (options.gidIndex() >= 0
                        ? " or an entry " + options.gidIndex()
                        : ""),
                "use an address of an RDMA device (show_gids, or bascule doctor), or name device and gidIndex in"
                        + " the configuration"));
        chosen.requireUsable();
        return chosen;
    }

    private static Stream<RdmaAddress> gids(RdmaPort port) {
        return port.gids().stream().map(gid -> new RdmaAddress(port, gid));
    }

    /** On a network the address itself, over RoCE version 2 where the table has both; else any that carries packets. */
    private static Optional<RdmaAddress> of(List<RdmaPort> ports, InetAddress local) {
        List<RdmaAddress> all = ports.stream().flatMap(RdmaPorts::gids).filter(at -> at.gid().isRoutable()).toList();
        Optional<RdmaAddress> exact = Stream.of(true, false)
                .flatMap(second -> all.stream().filter(at -> at.gid().isV2() == second && at.gid().is(local)))
                .findFirst();
        boolean isAnywhere = local.isLoopbackAddress()
                || ports.size() == 1 && ports.getFirst().linkLayer().equals("InfiniBand");
        return exact.isPresent() || !isAnywhere
                ? exact
                : Stream.of(true, false).flatMap(ipv4 -> all.stream()
                        .filter(at -> at.port().isActive() && at.gid().isIpv4() == ipv4)).findFirst();
    }
}
