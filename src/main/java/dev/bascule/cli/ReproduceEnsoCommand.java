package dev.bascule.cli;

import dev.bascule.app.enso.EnsoReproduction;
import dev.bascule.app.enso.EnsoText;
import dev.bascule.app.enso.PcieLink;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Counts what Ensō and packetized interfaces put on the PCIe link. */
@Command(name = "enso", mixinStandardHelpOptions = true, description = {
        "Counts, on the models, what a packet costs on the PCIe link with Ensō (reactive, prefetch, per packet), with "
                + "Corundum and with E810-like descriptors, and times each application on pipes and on packets.",
        "Published figures stand in a column of their own. Needs no hardware." }, footer = { "", "Examples:",
                "  bascule reproduce enso", "  bascule reproduce enso --json",
                "  bascule reproduce enso --no-apps --plots plots" })
final class ReproduceEnsoCommand extends CommandBase {
    private static final int ROUNDS = 64;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Option(names = "--plots", paramLabel = "DIR", description = "write SVG plots into this folder")
    private @Nullable Path plots;

    @Option(names = "--no-apps", description = "count only; do not time the applications")
    private boolean noApps;

    @Override
    public Integer call() throws IOException {
        Progress progress = new Progress(System.err);
        EnsoText text = new EnsoText(
                EnsoReproduction.run(PcieLink.GEN3_X16, ROUNDS, !noApps, progress::say));
        PrintWriter out = out();
        out.print(json ? text.json() : text.text());
        if (plots != null) {
            Files.createDirectories(plots);
            for (Map.Entry<String, String> plot : text.plots().entrySet()) {
                OutputFile.write(plots.resolve(plot.getKey()), plot.getValue());
                progress.say("plot: " + plots.resolve(plot.getKey()));
            }
        }
        out.flush();
        return 0;
    }
}
