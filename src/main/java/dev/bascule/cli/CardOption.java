package dev.bascule.cli;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.DeviceBacking;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.pci.PciAddress;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The card a command works on. */
final class CardOption {
    static final String LOOPBACK = "loopback";

    private static final Pattern ADDRESS = Pattern.compile("([0-9a-fA-F]+:)?[0-9a-fA-F]+:[0-9a-fA-F]+\\.[0-7]");

    @Option(names = "--device", paramLabel = "DEVICE", defaultValue = LOOPBACK, description = "the card: '"
            + LOOPBACK
            + "', a Corundum model in this process, the socket of a served one (bascule serve), a PCI address "
            + "(bascule bind), or dpdk:PORT[,PORT], ports of DPDK by address or as a virtual device, with its arguments (dpdk:net_pcap0,rx_pcap=FILE); default ${DEFAULT-VALUE}")
    private String device = LOOPBACK;

    @Mixin
    private DeviceAccess access = new DeviceAccess();

    private @Nullable CorundumModel model;
    private int node = -1;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    /** Where frames were lost; nowhere also for a card that cannot tell. */
    Losses losses() {
        CorundumModel loopback = model;
        return loopback == null ? Losses.NONE : loopback.losses();
    }

    /** NUMA node of the card once it is open, -1 if there is none. */
    int node() {
        return node;
    }

    boolean isLoopback() {
        return device.equals(LOOPBACK);
    }

    /** How results are to be labelled. */
    String label() {
        return isLoopback()
                ? "simulated: loopback model in this process"
                : isAddress()
                        ? "PCI device " + PciAddress.parse(device)
                        : isDpdk() ? device : "simulated: served at " + device;
    }

    /** Whether it is a real one of this machine. */
    boolean isAddress() {
        return isAddress(device);
    }

    static boolean isAddress(String text) {
        return ADDRESS.matcher(text).matches();
    }

    /** Whether it is a port of DPDK, which opens its cards itself. */
    boolean isDpdk() {
        return device.startsWith(DpdkPorts.PREFIX);
    }

    String device() {
        return device;
    }

    /**
     * Opens it.
     *
     * @param wires what the model's ports are plugged into; a real card has its own
     * @param timing of the model in this process
     */
    DeviceBacking open(List<WireEnd> wires, ModelTiming timing) {
        if (isAddress()) {
            DeviceBacking opened = access.open(PciAddress.parse(device), command.commandLine().getErr());
            node = opened.info().numaNode();
            return opened;
        }
        if (isDpdk()) {
            throw new Misuse(
                    "--device " + device + ": DPDK opens its cards itself; this command is for a card's own driver");
        }
        if (!isLoopback()) {
            if (!Files.exists(Path.of(device))) {
                throw new Failure(
                        "no device '" + device + "': there is " + LOOPBACK + ", a PCI address (bascule devices), or the"
                                + " socket of a served card; start one with: bascule serve --device corundum --socket "
                                + device);
            }
            return access.openServed(device);
        }
        CorundumModel opened = new CorundumModel(CorundumConfig.builder().timing(timing).build(), wires, true);
        model = opened;
        return LoopbackDevice.open(opened);
    }
}
