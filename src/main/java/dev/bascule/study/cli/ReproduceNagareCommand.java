package dev.bascule.study.cli;

import dev.bascule.cli.CommandBase;
import dev.bascule.run.OutputFile;
import dev.bascule.run.Progress;
import dev.bascule.json.Json;
import dev.bascule.study.experiment.Section;
import dev.bascule.study.nagare.NagareReproduction;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Counts what a chain of accelerators costs with the CPU in the middle and with streams. */
@Command(name = "nagare", mixinStandardHelpOptions = true, description = {
        "Counts, on a fabric that carries real bytes in virtual time, what chains and trees of accelerators cost with the CPU "
                + "in the middle, with devices that push streams to each other (Nagare), and with a switch that drives today's "
                + "devices, and what follows for time and throughput.",
        "Simulated, from the proposal's constants; what it states stands in a column of its own." }, footer = { "",
                "Examples:", "  bascule reproduce nagare --quick", "  bascule reproduce nagare --json",
                "  bascule reproduce nagare --plots plots --report nagare.html" })
final class ReproduceNagareCommand extends CommandBase {
    private static final String HONESTY = "from the proposal's constants, 379 ns one way and ten stages of ten cycles at 3 GHz.";

    @Option(names = "--quick", description = "fewer items, 100,000 streams in place of 1,000,000: about ten seconds")
    private boolean quick;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @OutputFile.AtEnd
    @Option(names = "--plots", paramLabel = "DIR", description = "write SVG plots into this folder")
    private @Nullable Path plots;

    @OutputFile.AtEnd
    @Option(names = "--report", paramLabel = "FILE", description = "write tables and plots as one HTML page")
    private @Nullable Path report;

    @Override
    public Integer call() throws IOException {
        Progress progress = new Progress(System.err);
        NagareReproduction result = NagareReproduction.run(quick, progress::say);
        PrintWriter out = out();
        if (json) {
            out.print(Json.object().put("reproduce", "nagare").put("simulated", true).put("quick", quick)
                    .put("agreement", SimulatedReproduction.json(result.agreement()))
                    .put("sections", Json.array(result.sections(), SimulatedReproduction::json)).pretty());
        } else {
            result.agreement().lines().forEach(out::println);
            out.println("SIMULATED: " + HONESTY);
            out.println(SimulatedReproduction.KINDS);
            for (Section section : result.sections()) {
                SimulatedReproduction.print(out, section);
            }
        }
        out.flush();
        if (plots != null) {
            Files.createDirectories(plots);
            for (Map.Entry<String, String> plot : result.plots().entrySet()) {
                OutputFile.write(plots.resolve(plot.getKey()), plot.getValue());
                progress.say("plot: " + plots.resolve(plot.getKey()));
            }
        }
        if (report != null) {
            OutputFile.write(report, SimulatedReproduction.page("Nagare, a streaming fabric", HONESTY,
                    result.sections(), result.plots().values()));
            progress.say("report: " + report);
        }
        return 0;
    }
}
