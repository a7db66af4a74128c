package dev.bascule.cli;

import dev.bascule.json.Json;
import dev.bascule.pci.PciAddress;
import dev.bascule.pci.VirtualFunctions;
import dev.bascule.run.DeviceName;
import dev.bascule.run.Failure;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The SR-IOV virtual functions of a device. */
@Command(name = "vfs", mixinStandardHelpOptions = true, description = {
        "Lists the SR-IOV virtual functions of a device, or sets their number (needs root; the old ones go first)." }, footer = {
                "", "Examples:", "  bascule vfs 0000:03:00.0", "  bascule vfs 0000:03:00.0 --create 4" })
final class VfsCommand extends CommandBase {
    @Parameters(paramLabel = "ADDRESS", description = "the physical function")
    private String address = "";

    @Range("0..65535")
    @Option(names = "--create", defaultValue = "-1", paramLabel = "N", description = "how many there shall be; 0 for none")
    private int count = -1;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Option(names = "--sysfs", hidden = true, defaultValue = "/sys", description = "where sysfs is")
    private Path sysfs = Path.of("/sys");

    @Override
    public Integer call() {
        PciAddress at = DeviceName.address(address);
        if (!Files.exists(sysfs.resolve("bus/pci/devices/" + at))) {
            throw new Failure(at + ": this machine has no such PCI function; list them: bascule devices");
        }
        VirtualFunctions functions = new VirtualFunctions(sysfs, at);
        List<PciAddress> list = count >= 0 ? functions.create(count) : functions.list();
        PrintWriter out = out();
        if (json) {
            out.print(Json.object().put("possible", functions.possible()).put("present", functions.present())
                    .put("functions", Json.texts(list)).pretty());
        } else {
            out.println(functions.possible() == 0
                    ? address + " has no SR-IOV"
                    : functions.present() + " of " + functions.possible() + " virtual functions");
            list.forEach(out::println);
        }
        out.flush();
        return 0;
    }
}
