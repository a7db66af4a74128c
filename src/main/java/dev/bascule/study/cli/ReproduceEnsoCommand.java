package dev.bascule.study.cli;

import dev.bascule.cli.CommandBase;
import dev.bascule.run.OutputFile;
import dev.bascule.run.Progress;
import dev.bascule.cli.Range;
import dev.bascule.json.Json;
import dev.bascule.study.enso.EnsoReproduction;
import dev.bascule.study.enso.EnsoText;
import dev.bascule.study.enso.PcieLink;
import dev.bascule.study.enso.TimedSections;
import dev.bascule.study.experiment.Section;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Ensō's evaluation: what crosses the PCIe link, counted; throughput and latency, in virtual time; applications, timed here. */
@Command(name = "enso", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Counts, on the models, what a packet costs on the PCIe link with Ensō (reactive, prefetch, per packet), with "
                + "Corundum and with E810-like descriptors, and times each application on pipes and on packets.",
        "Then runs the drivers and applications against both cards in virtual time: throughput over cores, sizes and pipes, "
                + "latency against load, pacing, the link, a cache model, and the evaluation's applications.",
        "Published figures stand in a column of their own. Needs no hardware." }, footer = { "", "Examples:",
                "  bascule reproduce enso", "  bascule reproduce enso --quick --no-apps",
                "  bascule reproduce enso --json --repeat 3",
                "  bascule reproduce enso --no-apps --plots plots --report enso.html" })
final class ReproduceEnsoCommand extends CommandBase {
    private static final int ROUNDS = 64;
    private static final int QUICK_ROUNDS = 8;
    private static final String HONESTY = "this project's drivers and applications on models of both cards, in virtual time; queues"
            + " are Corundum's, published is the E810 under DPDK.";

    @Option(names = "--quick", description = "shorter runs and fewer points, within about a tenth of the full ones")
    private boolean quick;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "flows, sizes and requests; default 1")
    private long seed = 1;

    @Range("1..1000")
    @Option(names = "--repeat", defaultValue = "1", paramLabel = "N", description = "independent repeats of what is in virtual time, with seeds of their own; default 1")
    private int repeat = 1;

    @OutputFile.AtEnd
    @Option(names = "--plots", paramLabel = "DIR", description = "write SVG plots into this folder")
    private @Nullable Path plots;

    @OutputFile.AtEnd
    @Option(names = "--report", paramLabel = "FILE", description = "write tables and plots as one HTML page")
    private @Nullable Path report;

    @Option(names = "--no-apps", description = "do not time the applications on this machine")
    private boolean noApps;

    @Override
    public Integer call() throws IOException {
        Progress progress = new Progress(System.err);
        EnsoText text = new EnsoText(EnsoReproduction.run(PcieLink.GEN3_X16, quick ? QUICK_ROUNDS : ROUNDS, !noApps,
                progress::say));
        List<TimedSections> runs = LongStream.range(seed, seed + repeat)
                .mapToObj(each -> TimedSections.run(quick, each, progress::say)).toList();
        List<Section> sections = new ArrayList<>();
        for (int i = 0; i < runs.getFirst().sections().size(); i++) {
            int number = i;
            sections.add(Section.over(runs.stream().map(run -> run.sections().get(number)).toList()));
        }
        Map<String, String> drawings = new LinkedHashMap<>(text.plots());
        drawings.putAll(runs.getFirst().plots());
        print(text, sections);
        if (plots != null) {
            Files.createDirectories(plots);
            for (Map.Entry<String, String> plot : drawings.entrySet()) {
                OutputFile.write(plots.resolve(plot.getKey()), plot.getValue());
                progress.say("plot: " + plots.resolve(plot.getKey()));
            }
        }
        if (report != null) {
            OutputFile.write(report,
                    SimulatedReproduction.page("Ensō's evaluation", HONESTY, sections, drawings.values()));
            progress.say("report: " + report);
        }
        return 0;
    }

    private void print(EnsoText text, List<Section> sections) {
        PrintWriter out = out();
        if (json) {
            out.print(text.document().put("quick", quick).put("seed", seed).put("repeats", repeat)
                    .put("agreement", SimulatedReproduction.json(TimedSections.agreement(sections)))
                    .put("inputs", Json.array(TimedSections.inputs(), input -> Json.object().put("input", input)))
                    .put("sections", Json.array(sections, SimulatedReproduction::json)).pretty());
        } else {
            TimedSections.agreement(sections).lines().forEach(out::println);
            out.println("SIMULATED: " + HONESTY);
            out.println(SimulatedReproduction.KINDS);
            out.println();
            out.print(text.text());
            for (Section section : sections) {
                out.println();
                SimulatedReproduction.print(out, section);
            }
            out.println();
            out.println("Inputs of what is in virtual time:");
            TimedSections.inputs().forEach(input -> out.println("  " + input));
        }
        out.flush();
    }
}
