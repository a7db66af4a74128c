package dev.bascule.cli;

import dev.bascule.pci.DriverBinding;
import dev.bascule.pci.IommuGroup;
import dev.bascule.report.Json;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** What bind and unbind print. */
final class Moves {
    private Moves() {}

    static void print(CommandSpec spec, boolean json, List<DriverBinding.Move> moves, Path sysfs) {
        PrintWriter out = spec.commandLine().getOut();
        out.print(json ? json(moves, sysfs) : text(moves, sysfs));
        out.flush();
    }

    static String text(List<DriverBinding.Move> moves, Path sysfs) {
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

    private static String name(@org.jspecify.annotations.Nullable String driver) {
        return driver == null ? "no driver" : driver;
    }

    private static int group(DriverBinding.Move move, Path sysfs) {
        return IommuGroup.of(sysfs, move.address()).map(IommuGroup::number).orElse(-1);
    }

    static String json(List<DriverBinding.Move> moves, Path sysfs) {
        Json.Arr list = Json.array();
        for (DriverBinding.Move move : moves) {
            Json.Obj one = Json.object().put("address", move.address().toString());
            put(one, "from", move.from());
            put(one, "to", move.to());
            one.put("changed", move.changed());
            int group = group(move, sysfs);
            list.add(group < 0 ? one.putNull("iommuGroup") : one.put("iommuGroup", group));
        }
        return Json.object().put("moves", list).pretty();
    }

    private static void put(Json.Obj one, String key, @org.jspecify.annotations.Nullable String value) {
        if (value == null) {
            one.putNull(key);
        } else {
            one.put(key, value);
        }
    }
}
