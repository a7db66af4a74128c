package dev.bascule.cli;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceInfo;
import dev.bascule.json.Json;
import dev.bascule.model.WireEnd;
import dev.bascule.nic.cndm.CndmDump;
import dev.bascule.nic.cndm.CndmRegisters;
import dev.bascule.nic.corundum.CorundumDump;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints everything a Corundum or cndm card shows. */
@Command(name = "dump", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Prints every register block, queue, scheduler, the clock and the counters of a Corundum card, "
                + "or the design, clock and queues of a cndm. Only reads; a cndm is asked through its mailbox." }, footer = {
                        "", "Examples:", "  bascule dump", "  bascule dump --all --json" })
final class DumpCommand extends CommandBase {
    @Mixin
    private CardOption card = new CardOption();

    @Option(names = "--all", description = "also queues that were never set up")
    private boolean all;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() {
        try (DeviceBacking backing = card.open(List.of(WireEnd.OPEN, WireEnd.OPEN), ModelTiming.IMMEDIATE)) {
            print(sections(backing), backing.info().toString());
        }
        return 0;
    }

    /** A titled group of values. */
    private record Section(String title, Map<String, String> values) {}

    private List<Section> sections(DeviceBacking backing) {
        DeviceInfo info = backing.info();
        if (info.vendorId() == CndmRegisters.VENDOR_ID && info.deviceId() == CndmRegisters.DEVICE_ID) {
            return CndmDump.of(backing, all).entrySet().stream()
                    .map(section -> new Section(section.getKey(), section.getValue())).toList();
        }
        return CorundumDump.of(backing, all).stream().map(section -> new Section(section.title(), section.values()))
                .toList();
    }

    private void print(List<Section> sections, String device) {
        PrintWriter out = out();
        if (json) {
            out.print(Json.object().put("device", device)
                    .put("sections", Json.array(sections, section -> Json.object().put("title", section.title())
                            .put("values", Json.object(section.values()))))
                    .pretty());
        } else {
            out.println(device);
            for (Section section : sections) {
                out.println(section.title());
                section.values().forEach((key, value) -> out.printf("    %-16s %s%n", key, value));
            }
        }
        out.flush();
    }
}
