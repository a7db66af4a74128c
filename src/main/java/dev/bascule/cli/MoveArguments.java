package dev.bascule.cli;

import dev.bascule.pci.DriverBinding;
import dev.bascule.pci.PciAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What bind and unbind have in common: which devices, and how the moves are printed. */
final class MoveArguments {
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

    boolean group() {
        return group;
    }

    /** Moves one device after the other; the first that cannot be moved ends it. */
    int move(CommandSpec spec, BiFunction<DriverBinding, PciAddress, List<DriverBinding.Move>> how) {
        DriverBinding binding = new DriverBinding(sysfs, proc);
        List<DriverBinding.Move> moves = new ArrayList<>();
        for (String address : addresses) {
            moves.addAll(how.apply(binding, PciAddress.parse(address)));
        }
        Moves.print(spec, json, moves, sysfs);
        return 0;
    }
}
