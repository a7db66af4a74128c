package dev.bascule.doctor;

import dev.bascule.ffi.LibVerbs;
import dev.bascule.pci.PciDevice;
import dev.bascule.pci.PciDevices;
import dev.bascule.rdma.RdmaPort;
import dev.bascule.rdma.RdmaPorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Checks for what {@code --link rdma} needs: devices, their ports and addresses, libibverbs, the mode of a BlueField.
 */
public final class RdmaChecks {
    private static final int NVIDIA = 0x15b3;
    /** Network functions of BlueField, BlueField-2 and BlueField-3, as a host and as the card's own cores see them. */
    private static final List<Integer> BLUEFIELDS = List.of(0xa2d2, 0xa2d6, 0xa2dc);
    private static final long TOOL_SECONDS = 10;
    private static final String MODEL = "INTERNAL_CPU_MODEL";
    private static final String ENGINE = "INTERNAL_CPU_OFFLOAD_ENGINE";

    private final Machine machine;
    private final BooleanSupplier hasVerbs;

    /** @param hasVerbs whether there is a libibverbs */
    RdmaChecks(Machine machine, BooleanSupplier hasVerbs) {
        this.machine = machine;
        this.hasVerbs = hasVerbs;
    }

    /** Checks of a machine, with the ports that its adapters have. */
    public static RdmaChecks of(Machine machine) {
        return new RdmaChecks(machine, () -> LibVerbs.find().isPresent());
    }

    /** Findings, in the order in which they are shown. */
    public List<Finding> findings() {
        List<Finding> all = new ArrayList<>();
        List<RdmaPort> ports = RdmaPorts.list(machine.sys());
        ports.forEach(port -> all.add(port(port)));
        if (ports.isEmpty()) {
            all.add(Finding.optional("RDMA", "no device; only for --link rdma", machine.sudo() + "modprobe rdma_rxe && "
                    + machine.sudo() + "rdma link add rxe0 type rxe netdev NETDEV (soft-RoCE, without a card)"));
        } else {
            all.add(nodes());
        }
        all.add(hasVerbs.getAsBoolean()
                ? Finding.ok("libibverbs", "found")
                : Finding.optional("libibverbs", "not found; only for --link rdma",
                        machine.sudo() + "apt-get install -y libibverbs1 ibverbs-providers"));
        PciDevices.list(machine.sys()).stream()
                .filter(device -> device.vendorId() == NVIDIA && BLUEFIELDS.contains(device.deviceId()))
                .forEach(device -> all.add(blueField(device)));
        return all;
    }

    private Finding port(RdmaPort port) {
        String name = "RDMA " + port.device() + (port.port() == 1 ? "" : " port " + port.port());
        if (port.isIwarp()) {
            return Finding.optional(name, "iWARP: its writes are placed in no order that a reader may rely on",
                    "use a device of RoCE version 2 or InfiniBand");
        }
        String addresses = port.gids().stream().filter(gid -> gid.type().isEmpty() || gid.type().contains("v2"))
                .map(Object::toString).distinct().collect(Collectors.joining(", "));
        String found = port.state() + ", " + port.linkLayer()
                + (addresses.isEmpty() ? ", no address" : ", address " + addresses);
        if (!port.isActive()) {
            return Finding.optional(name, found, "look at cable and switch; " + machine.sudo()
                    + "ip link set $(ls " + machine.sys() + "/class/infiniband/" + port.device()
                    + "/device/net) up; ibv_devinfo -d " + port.device());
        }
        return addresses.isEmpty()
                ? Finding.optional(name, found,
                        machine.sudo() + "ip addr add 10.0.0.1/24 dev NETDEV (rdma link names it);"
                                + " RoCE version 1 alone is not routed")
                : Finding.ok(name, found);
    }

    private Finding nodes() {
        Path folder = machine.dev().resolve("infiniband");
        List<String> nodes = Machine.names(folder).stream().filter(name -> name.startsWith("uverbs")).toList();
        if (nodes.isEmpty()) {
            return Finding.optional("/dev/infiniband", "no uverbs node", machine.sudo() + "modprobe ib_uverbs");
        }
        List<String> closed = nodes.stream().filter(name -> !Files.isReadable(folder.resolve(name))
                || !Files.isWritable(folder.resolve(name))).toList();
        return closed.isEmpty()
                ? Finding.ok("/dev/infiniband", String.join(", ", nodes))
                : Finding.optional("/dev/infiniband", "no access to " + String.join(", ", closed),
                        machine.sudo() + "chmod 0666 " + folder.resolve(closed.get(0)));
    }

    /** In which mode the card's cores are: its firmware's configuration says it, and a tool reads that. */
    private Finding blueField(PciDevice device) {
        String name = "BlueField " + device.address();
        Optional<Path> tool = machine.program("mstconfig").or(() -> machine.program("mlxconfig"));
        String query = "mstconfig -d " + device.address() + " q " + MODEL + " " + ENGINE;
        if (tool.isEmpty()) {
            return Finding.optional(name, "mode unknown: no mstconfig", machine.sudo() + "apt-get install -y mstflint; "
                    + machine.sudo() + query);
        }
        String said = run(tool.get().toString(), "-d", device.address().toString(), "q", MODEL, ENGINE);
        if (said.contains("DISABLED(1)")) {
            return Finding.optional(name, "NIC mode: its cores run no agent", machine.sudo() + "mstconfig -d "
                    + device.address() + " -y set " + MODEL + "=1 " + ENGINE + "=0, and power the machine off and on");
        }
        if (said.contains("SEPARATED_HOST(0)")) {
            return Finding.ok(name, "separated host: host and cores are two hosts on one adapter");
        }
        return said.contains("EMBEDDED_CPU(1)")
                ? Finding.ok(name, "DPU mode (embedded CPU); traffic of the host passes the cores' switch: let it pass"
                        + " to an interface of theirs (ovs-vsctl show)")
                : Finding.optional(name, "mode unknown: " + said.lines().findFirst().orElse("the tool said nothing"),
                        machine.sudo() + query);
    }

    private static String run(String... words) {
        try {
            Process process = new ProcessBuilder(words).redirectErrorStream(true)
                    .redirectInput(Path.of("/dev/null").toFile()).start();
            CompletableFuture.delayedExecutor(TOOL_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
