package dev.bascule.cli;

import dev.bascule.doctor.KnownDevices;
import dev.bascule.doctor.PciClasses;
import dev.bascule.json.Json;
import dev.bascule.pci.PciDevice;
import dev.bascule.pci.PciDevices;
import dev.bascule.report.Numbers;
import dev.bascule.report.Table;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The PCI devices of this machine, and which driver of Bascule fits which. */
@Command(name = "devices", mixinStandardHelpOptions = true, description = {
        "Lists the PCI devices of this machine: driver, IOMMU group, NUMA node, BARs, and the driver of Bascule that "
                + "fits ('-': none).",
        "Needs neither root nor any hardware." }, footer = { "", "Examples:", "  bascule devices",
                "  bascule devices --json" })
final class DevicesCommand extends CommandBase {
    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Option(names = "--sysfs", hidden = true, defaultValue = "/sys", description = "where sysfs is")
    private Path sysfs = Path.of("/sys");

    @Override
    public Integer call() {
        List<PciDevice> devices = PciDevices.list(sysfs);
        PrintWriter out = out();
        out.print(json ? json(devices) : text(devices, sysfs));
        out.flush();
        return 0;
    }

    static String text(List<PciDevice> devices, Path sysfs) {
        if (devices.isEmpty()) {
            Path folder = sysfs.resolve("bus/pci/devices");
            return (Files.isDirectory(folder)
                    ? "This machine has no PCI devices"
                    : "This machine has no PCI bus (no "
                            + folder + ")")
                    + ". Bascule's loopback devices need none: bascule run --quick\n";
        }
        Table table = new Table(8, "address", "id", "class", "kernel driver", "IOMMU group", "NUMA", "Bascule driver",
                "BARs");
        for (PciDevice device : devices) {
            String driver = device.driver();
            table.row(device.address().toString(), id(device), PciClasses.name(device.classCode()),
                    driver == null ? "-" : driver, orDash(device.iommuGroup()), orDash(device.numaNode()),
                    KnownDevices.driver(device).orElse("-"), bars(device));
        }
        return table.render();
    }

    private static String id(PciDevice device) {
        return hex(device.vendorId()) + ":" + hex(device.deviceId());
    }

    private static String hex(int number) {
        return number < 0 ? "????" : "%04x".formatted(number);
    }

    private static String orDash(int number) {
        return number < 0 ? "-" : Integer.toString(number);
    }

    private static String bars(PciDevice device) {
        return device.bars().stream()
                .map(bar -> bar.index() + ":" + Numbers.bytes(bar.sizeBytes())
                        + (bar.memory() ? bar.prefetchable() ? " pref" : "" : " io"))
                .collect(Collectors.joining(", "));
    }

    static String json(List<PciDevice> devices) {
        return Json.object().put("devices", Json.array(devices, DevicesCommand::describe)).pretty();
    }

    private static Json.Obj describe(PciDevice device) {
        Json.Obj out = Json.object().put("address", device.address().toString());
        number(out, "vendorId", device.vendorId());
        number(out, "deviceId", device.deviceId());
        number(out, "classCode", device.classCode());
        out.put("class", PciClasses.name(device.classCode()));
        out.put("kernelDriver", device.driver());
        number(out, "iommuGroup", device.iommuGroup());
        number(out, "numaNode", device.numaNode());
        out.put("basculeDriver", KnownDevices.driver(device).orElse(null));
        return out.put("bars", Json.array(device.bars(), bar -> Json.object().put("index", bar.index())
                .put("sizeBytes", bar.sizeBytes()).put("kind", bar.memory() ? "memory" : "io")
                .put("prefetchable", bar.prefetchable()).put("is64Bit", bar.wide())));
    }

    private static void number(Json.Obj out, String key, int value) {
        if (value < 0) {
            out.putNull(key);
        } else {
            out.put(key, value);
        }
    }
}
