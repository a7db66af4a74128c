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

/** Gives PCI devices back to the kernel's own drivers. */
@Command(name = "unbind", mixinStandardHelpOptions = true, description = {
        "Gives PCI devices back from vfio-pci to the driver the kernel would choose. Needs root." }, footer = { "",
                "Examples:", "  bascule unbind 0000:03:00.0", "  bascule unbind --group 03:00.0" })
final class UnbindCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "ADDRESS", description = "such as 0000:03:00.0")
    private List<String> addresses = List.of();

    @Option(names = "--group", description = "also the other devices of its IOMMU group")
    private boolean group;

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
            moves.addAll(binding.unbind(PciAddress.parse(address), group));
        }
        Moves.print(spec, json, moves, sysfs);
        return 0;
    }
}
