package dev.bascule.cli;

import dev.bascule.config.CardConfig;
import dev.bascule.config.ConfigException;
import dev.bascule.config.DeviceKind;
import dev.bascule.config.HardwareConfig;
import dev.bascule.config.HardwareConfigs;
import dev.bascule.host.CardEnd;
import dev.bascule.nic.ivshmem.IvshmemRegisters;
import dev.bascule.pci.DriverBinding;
import dev.bascule.pci.PciAddress;
import dev.bascule.pci.PciDevice;
import dev.bascule.pci.PciDevices;
import dev.bascule.run.DeviceName;
import dev.bascule.run.Failure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Device that {@code --device} names: a SmartNIC, by its configuration's name, by PCI address or by the socket of a
 * served one, or an ivshmem device.
 */
final class CardDevice {
    static final String SMARTNIC = "smartnic";
    static final String CONFIG = "served-smartnic";

    private static final Path SYSFS = Path.of("/sys");

    private CardDevice() {}

    /** Whether it is written as a PCI address. */
    static boolean isAddress(String device) {
        return DeviceName.is(device);
    }

    /** Whether a configuration is of a card that the driver smartnic drives. */
    static boolean isSmartNic(HardwareConfig config) {
        return config.kind() == DeviceKind.PCI && config.device().driver().equals(SMARTNIC);
    }

    /**
     * The host's end.
     *
     * @param device what the user named; empty: what the configuration says
     * @param given the configuration that the user named, if it is one of a card
     * @param silenceNanos how long the server of a served card may be silent
     */
    static CardEnd host(String device, Optional<String> given, long silenceNanos) {
        if (isAddress(device)) {
            PciDevice function = function(DeviceName.parse(device).address());
            return isIvshmem(function)
                    ? new CardEnd.Ivshmem(function.address())
                    : new CardEnd.Function(device, given.orElseGet(() -> configOf(function)), silenceNanos);
        }
        if (!device.isEmpty() && isSocket(device)) {
            return new CardEnd.Function(device, given.orElse(CONFIG), silenceNanos);
        }
        String name = device.isEmpty() ? given.orElseThrow() : device;
        HardwareConfig config = smartNic(name);
        String chosen = config.card().region().device();
        return new CardEnd.Function(chosen.isEmpty() ? onlyFunction(config).toString() : chosen, path(name),
                silenceNanos);
    }

    /**
     * The end of agents in this machine: on a card's cores, or on another ivshmem device.
     *
     * @param path instead of the configuration's {@code cores.path}; empty: that
     */
    static CardEnd cores(String device, String path) {
        if (isAddress(device)) {
            PciDevice function = function(DeviceName.parse(device).address());
            return isIvshmem(function)
                    ? new CardEnd.Ivshmem(function.address())
                    : new CardEnd.Cores(path(configOf(function)), path);
        }
        smartNic(device);
        return new CardEnd.Cores(path(device), path);
    }

    /** The agents' end of the card whose host's end is here, if they reach it from this machine. */
    static CardEnd coresOf(CardEnd host) {
        if (host instanceof CardEnd.Function function
                && load(function.config()).card().cores().memory() != CardConfig.Memory.NONE) {
            return new CardEnd.Cores(function.config(), "");
        }
        return new CardEnd.Elsewhere();
    }

    private static boolean isSocket(String device) {
        Path path = Path.of(device);
        return device.contains("/") && Files.exists(path) && !Files.isRegularFile(path);
    }

    /** Agents are started elsewhere: a path must be whole. */
    private static String path(String name) {
        Path path = Path.of(name);
        return Files.isRegularFile(path) ? path.toAbsolutePath().toString() : name;
    }

    static HardwareConfig load(String name) {
        try {
            return HardwareConfigs.load(name);
        } catch (ConfigException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        }
    }

    static HardwareConfig smartNic(String name) {
        HardwareConfig config = load(name);
        if (!isSmartNic(config)) {
            throw new Failure("configuration " + config.name() + " is of "
                    + (config.kind() == DeviceKind.PCI
                            ? "driver " + config.device().driver()
                            : "kind " + config.kind().word())
                    + "; a SmartNIC's region needs one of kind pci with device.driver: " + SMARTNIC);
        }
        return config;
    }

    private static PciDevice function(PciAddress address) {
        return PciDevices.list(SYSFS).stream().filter(one -> one.address().equals(address)).findFirst()
                .orElseThrow(() -> new Failure(
                        address + ": this machine has no such PCI function; list them: bascule devices"));
    }

    private static boolean isIvshmem(PciDevice function) {
        return function.vendorId() == IvshmemRegisters.VENDOR_ID && function.deviceId() == IvshmemRegisters.DEVICE_ID;
    }

    private static String ids(PciDevice function) {
        return "%04x:%04x".formatted(function.vendorId(), function.deviceId());
    }

    /** The installed configuration of a card with the function's ids. */
    static Optional<String> installed(PciDevice function) {
        return HardwareConfigs.available().stream().filter(name -> {
            HardwareConfig config = load(name);
            return isSmartNic(config) && config.device().ids().contains(ids(function));
        }).findFirst();
    }

    private static String configOf(PciDevice function) {
        return installed(function).orElseThrow(() -> new Failure(function.address() + " is " + ids(function)
                + ", and no installed configuration says where a SmartNIC's region is in it; write one (see"
                + " hw-configs/any-pci-bar.yaml) and name it: --config FILE"));
    }

    private static PciAddress onlyFunction(HardwareConfig config) {
        List<PciDevice> found = PciDevices.list(SYSFS).stream()
                .filter(one -> config.device().ids().contains(ids(one))).toList();
        List<PciDevice> bound = found.stream().filter(one -> DriverBinding.VFIO.equals(one.driver())).toList();
        List<PciDevice> from = bound.isEmpty() ? found : bound;
        if (from.size() != 1) {
            throw new Failure("configuration " + config.name() + " fits " + (from.isEmpty()
                    ? "no PCI function here: " + String.join(" ", config.device().ids())
                            + "; list them: bascule devices"
                    : from.size() + " PCI functions here; name one: --device "
                            + from.stream().map(one -> one.address().toString()).toList()));
        }
        return from.getFirst().address();
    }
}
