package dev.bascule.cli;

import dev.bascule.doctor.Holders;
import dev.bascule.json.Json;
import dev.bascule.pci.DriverBinding;
import dev.bascule.pci.IommuGroup;
import dev.bascule.pci.PciAddress;
import dev.bascule.run.DeviceName;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Arguments that bind and unbind have in common: which devices, and how the moves are printed. */
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

    /** Wraps a move so that a long wait names the processes that hold the device. */
    BiFunction<DriverBinding, PciAddress, List<DriverBinding.Move>> waiting(
            BiFunction<DriverBinding, PciAddress, List<DriverBinding.Move>> how) {
        return (binding, address) -> {
            List<DriverBinding.Move> moves = new ArrayList<>();
            new Holders(sysfs, proc).whileWaiting(address, () -> moves.addAll(how.apply(binding, address)));
            return moves;
        };
    }

    /** Moves one device after the other; the first that cannot be moved ends it. */
    int move(PrintWriter out, BiFunction<DriverBinding, PciAddress, List<DriverBinding.Move>> how) {
        DriverBinding binding = new DriverBinding(sysfs, proc);
        List<DriverBinding.Move> moves = new ArrayList<>();
        for (String address : addresses) {
            moves.addAll(how.apply(binding, DeviceName.address(address)));
        }
        out.print(json ? json(moves, sysfs) : text(moves, sysfs));
        out.flush();
        return 0;
    }

    private static String text(List<DriverBinding.Move> moves, Path sysfs) {
        StringBuilder text = new StringBuilder();
        for (DriverBinding.Move move : moves) {
            text.append(move.address()).append(": ")
                    .append(move.changed()
                            ? name(move.from()) + " -> " + name(move.to())
                            : name(move.to()) + " already");
            int group = group(move, sysfs);
            if (DriverBinding.VFIO.equals(move.to()) && group >= 0) {
                text.append("; /dev/vfio/").append(group)
                        .append(" (to drive it without root: sudo chown $USER /dev/vfio/").append(group).append(')');
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static String name(@Nullable String driver) {
        return driver == null ? "no driver" : driver;
    }

    private static int group(DriverBinding.Move move, Path sysfs) {
        return IommuGroup.of(sysfs, move.address()).map(IommuGroup::number).orElse(-1);
    }

    private static String json(List<DriverBinding.Move> moves, Path sysfs) {
        return Json.object().put("moves", Json.array(moves, move -> {
            Json.Obj one = Json.object().put("address", move.address().toString()).put("from", move.from())
                    .put("to", move.to()).put("changed", move.changed());
            int group = group(move, sysfs);
            return group < 0 ? one.putNull("iommuGroup") : one.put("iommuGroup", group);
        })).pretty();
    }
}
