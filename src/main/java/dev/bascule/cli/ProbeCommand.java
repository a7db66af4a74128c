package dev.bascule.cli;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.PciAddress;
import dev.bascule.pci.PciDevice;
import dev.bascule.pci.PciDevices;
import dev.bascule.run.DeviceName;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.vfio.VfioDevice;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Everything about one device. */
@Command(name = "probe", mixinStandardHelpOptions = true, description = {
        "Opens a PCI device, or a served one, and prints identity, capabilities, BARs, interrupts, what the IOMMU allows, and for known "
                + "devices their own registers.",
        "A device that cannot be opened is described as far as sysfs tells, with the reason and the command that helps; "
                + "the exit status is 0 then, too." }, footer = { "", "Examples:", "  bascule probe 0000:03:00.0",
                        "  bascule probe 03:00.0 --json",
                        "  bascule probe /tmp/nic.sock   # a served device, which is reset by that",
                        "  bascule probe 03:00.0 --look   # open nothing" })
final class ProbeCommand extends CommandBase {
    @Parameters(paramLabel = "DEVICE", description = "PCI address, such as 0000:03:00.0, or the socket of a served device (bascule serve)")
    private String address = "";

    @Option(names = "--look", description = "do not open the device")
    private boolean look;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Mixin
    private DeviceAccess access = new DeviceAccess();

    @Override
    public Integer call() {
        ProbeReport report = DeviceAccess.isSocket(address) ? served() : function(DeviceName.address(address));
        PrintWriter out = out();
        out.print(json ? report.json() : report.text());
        out.flush();
        return 0;
    }

    private ProbeReport served() {
        if (look) {
            throw new Misuse("--look: nothing is known of a served device until it is opened");
        }
        try (DeviceBacking open = access.openServed(address)) {
            return ProbeReport.ofServed(address, open);
        }
    }

    private ProbeReport function(PciAddress at) {
        PciDevice device = PciDevices.list(access.sysfs()).stream().filter(one -> one.address().equals(at)).findFirst()
                .orElseThrow(
                        () -> new Failure(at + ": this machine has no such PCI function; list them: bascule devices"));
        ConfigSpace config = DeviceAccess.config(access.sysfs(), at);
        ProbeReport report = ProbeReport.ofFunction(device, config, access.sysfs());
        if (!look) {
            try (VfioDevice open = access.open(at, err())) {
                report.opened(open);
            } catch (DeviceException e) {
                report.notOpened(String.valueOf(e.getMessage()));
            }
        }
        return report;
    }
}
