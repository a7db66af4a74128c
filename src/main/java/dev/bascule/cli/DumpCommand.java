package dev.bascule.cli;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.DeviceBacking;
import dev.bascule.json.Json;
import dev.bascule.model.WireEnd;
import dev.bascule.nic.corundum.CorundumDump;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints everything a Corundum card shows. */
@Command(name = "dump", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Prints every register block, queue, scheduler, the clock and the counters of a Corundum card. Only reads." }, footer = {
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
            print(CorundumDump.of(backing, all), backing.info().toString());
        }
        return 0;
    }

    private void print(List<CorundumDump.Section> sections, String device) {
        PrintWriter out = out();
        if (json) {
            out.print(Json.object().put("device", device)
                    .put("sections", Json.array(sections, section -> Json.object().put("title", section.title())
                            .put("values", Json.object(section.values()))))
                    .pretty());
        } else {
            out.println(device);
            for (CorundumDump.Section section : sections) {
                out.println(section.title());
                section.values().forEach((key, value) -> out.printf("    %-16s %s%n", key, value));
            }
        }
        out.flush();
    }
}
