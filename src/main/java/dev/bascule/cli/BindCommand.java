package dev.bascule.cli;

import dev.bascule.pci.DriverBinding;
import dev.bascule.pci.PciAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Gives PCI devices to vfio-pci, so that a process can drive them. */
@Command(name = "bind", mixinStandardHelpOptions = true, description = {
        "Gives PCI devices to the kernel's vfio-pci, so that a process can drive them. Needs root; lasts until the next "
                + "boot or `bascule unbind`.",
        "Refuses a device that carries a mounted disk, swap or a network interface in use, and one whose IOMMU group has "
                + "members with other drivers." }, footer = { "", "Examples:", "  bascule bind 0000:03:00.0",
                        "  bascule bind --group 03:00.0      # the whole IOMMU group",
                        "  sudo chown $USER /dev/vfio/17     # then no root is needed to drive it" })
final class BindCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "ADDRESS", description = "such as 0000:03:00.0")
    private List<String> addresses = List.of();

    @Option(names = "--group", description = "also the other devices of its IOMMU group")
    private boolean group;

    @Option(names = "--force", description = "even what the machine's disk or network depends on")
    private boolean force;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Option(names = "--sysfs", hidden = true, defaultValue = "/sys", description = "where sysfs is")
    private Path sysfs = Path.of("/sys");

    @Option(names = "--proc", hidden = true, defaultValue = "/proc", description = "where proc is")
    private Path proc = Path.of("/proc");

    @Override
    public Integer call() {
        DriverBinding binding = new DriverBinding(sysfs, proc);
        List<DriverBinding.Move> moves = new ArrayList<>();
        for (String address : addresses) {
            moves.addAll(binding.bind(PciAddress.parse(address), group, force));
        }
        Moves.print(spec, json, moves, sysfs);
        return 0;
    }
}
