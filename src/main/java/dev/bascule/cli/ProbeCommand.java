package dev.bascule.cli;

import dev.bascule.device.DeviceException;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.PciAddress;
import dev.bascule.pci.PciDevice;
import dev.bascule.pci.PciDevices;
import dev.bascule.vfio.VfioDevice;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Everything about one PCI device. */
@Command(name = "probe", mixinStandardHelpOptions = true, description = {
        "Opens a PCI device and prints identity, capabilities, BARs, interrupts, what the IOMMU allows, and for known "
                + "devices their own registers.",
        "A device that cannot be opened is described as far as sysfs tells, with the reason and the command that helps; "
                + "the exit status is 0 then, too." }, footer = { "", "Examples:", "  bascule probe 0000:03:00.0",
                        "  bascule probe 03:00.0 --json", "  bascule probe 03:00.0 --look   # open nothing" })
final class ProbeCommand extends CommandBase {
    @Parameters(paramLabel = "ADDRESS", description = "such as 0000:03:00.0")
    private String address = "";

    @Option(names = "--look", description = "do not open the device")
    private boolean look;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Mixin
    private DeviceAccess access = new DeviceAccess();

    @Override
    public Integer call() {
        PciAddress at = PciAddress.parse(address);
        PciDevice device = PciDevices.list(access.sysfs()).stream().filter(one -> one.address().equals(at)).findFirst()
                .orElseThrow(
                        () -> new Failure(at + ": this machine has no such PCI function; list them: bascule devices"));
        ConfigSpace config = DeviceAccess.config(access.sysfs(), at);
        ProbeReport report = new ProbeReport(device, config, access.sysfs());
        if (!look) {
            try (VfioDevice open = access.open(at, err())) {
                report.opened(open);
            } catch (DeviceException e) {
                report.notOpened(String.valueOf(e.getMessage()));
            }
        }
        PrintWriter out = out();
        out.print(json ? report.json() : report.text());
        out.flush();
        return 0;
    }
}
