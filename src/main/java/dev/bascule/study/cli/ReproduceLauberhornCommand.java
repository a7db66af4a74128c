package dev.bascule.study.cli;

import dev.bascule.cli.CommandBase;
import dev.bascule.run.OutputFile;
import dev.bascule.run.Progress;
import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.json.Json;
import dev.bascule.report.Table;
import dev.bascule.study.lauberhorn.LauberhornFigure;
import dev.bascule.study.lauberhorn.LauberhornReproduction;
import dev.bascule.study.lauberhorn.LauberhornReproduction.Curves;
import dev.bascule.study.lauberhorn.LauberhornReproduction.Line;
import dev.bascule.study.lauberhorn.LauberhornReproduction.Part;
import dev.bascule.study.report.Plot;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Reproduces what Lauberhorn's paper and the raw data of its prototype report, beside what follows from published
 * costs.
 */
@Command(name = "lauberhorn", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Computes from published costs, simulates in virtual time and measures here what a small RPC costs with a NIC that is "
                + "part of the operating system, and by other paths; published figures stand beside it.",
        "Each figure says where it is from (computed, simulated, measured) and what it rests on (predicted, "
                + "computed, calibrated, chosen, limit, or measured)." }, footer = { "", "Examples:",
                        "  bascule reproduce lauberhorn --quick",
                        "  bascule reproduce lauberhorn --json --plots plots",
                        "  bascule reproduce lauberhorn --costs ./my-interconnects.yaml --no-live" })
final class ReproduceLauberhornCommand extends CommandBase {
    private static final String DEFAULT = "interconnects";

    @Option(names = "--quick", description = "shorter runs: some seconds")
    private boolean quick;

    @Option(names = "--json", description = "print one JSON document instead of tables")
    private boolean json;

    @OutputFile.AtEnd
    @Option(names = "--plots", paramLabel = "DIR", description = "write SVG plots into this folder")
    private @Nullable Path plots;

    @Option(names = "--no-live", description = "measure nothing here")
    private boolean noLive;

    @Option(names = "--costs", defaultValue = DEFAULT, paramLabel = "NAME", description = "file of hw-configs/costs/ or a path, of kind interconnects; default ${DEFAULT-VALUE}")
    private String costs = DEFAULT;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "arrivals and service times; default ${DEFAULT-VALUE}")
    private long seed = 1;

    @Override
    public Integer call() throws IOException {
        CostProfile profile = CostProfiles.interconnects(costs);
        Progress progress = new Progress(System.err);
        LauberhornReproduction result = LauberhornReproduction.run(profile, quick, !noLive, seed, progress::say);
        PrintWriter out = out();
        if (json) {
            out.print(json(result).pretty());
        } else {
            print(out, result);
        }
        out.flush();
        if (plots != null) {
            Files.createDirectories(plots);
            for (Map.Entry<String, Curves> plot : result.curves().entrySet()) {
                OutputFile.write(plots.resolve(plot.getKey()), svg(plot.getValue()));
                progress.say("plot: " + plots.resolve(plot.getKey()));
            }
        }
        return 0;
    }

    private static String svg(Curves curves) {
        Plot plot = new Plot(curves.title(), curves.xLabel(), curves.yLabel());
        for (Line line : curves.lines()) {
            if (line.isPublished()) {
                plot.published(line.name(), line.x(), line.y());
            } else {
                plot.line(line.name(), line.x(), line.y());
            }
        }
        return plot.svg();
    }

    private Json.Obj json(LauberhornReproduction result) {
        return Json.object().put("reproduce", "lauberhorn").put("quick", quick).put("seed", seed)
                .put("costProfile", result.costs().name()).put("costProfileFile", CostProfiles.file(costs))
                .put("inputs", Json.array(result.costs().constants().values(), c -> Json.object()
                        .put("name", c.path()).put("stated", c.stated()).put("source", c.source())
                        .put("confidence", c.confidence().word())))
                .put("agreement", SimulatedReproduction.json(result.agreement()))
                .put("sections", Json.array(result.sections(), part -> Json.object().put("id", part.id())
                        .put("title", part.title()).put("method", part.method())
                        .put("figures", Json.array(part.figures(), ReproduceLauberhornCommand::json))));
    }

    private static Json.Obj json(LauberhornFigure figure) {
        Json.Obj object = Json.object().put("what", figure.what()).put("unit", figure.unit())
                .put("origin", figure.origin().word()).put("kind", figure.kind().word())
                .putFigure("value", figure.value(), false);
        if (!figure.source().isEmpty()) {
            object.put("source", figure.source());
        }
        if (Double.isNaN(figure.published())) {
            return object.putNull("published");
        }
        object.putFigure("published", figure.published(), false);
        Double deviation = figure.deviationPercent();
        return deviation == null ? object : object.putFigure("deviationPercent", deviation, false);
    }

    private void print(PrintWriter out, LauberhornReproduction result) {
        result.agreement().lines().forEach(out::println);
        out.println("computed: arithmetic on published costs; simulated: virtual time; measured: here,"
                + " nothing injected.");
        out.println("Kinds: predicted: published, not among the inputs, and nothing chosen decides it; computed:"
                + " follows from the inputs; calibrated: a constant was fitted to it; chosen: by what this project set;"
                + " limit: a bound, as a cost is not in the model; measured: no model.");
        for (Part part : result.sections()) {
            Table table = new Table(1, "(" + part.id() + ") " + part.title(), "unit", "value", "from", "kind",
                    "published", "deviation");
            for (LauberhornFigure figure : part.figures()) {
                Double deviation = figure.deviationPercent();
                table.row(figure.what(), figure.unit(), number(figure.value()), figure.origin().word(),
                        figure.kind().word(), Double.isNaN(figure.published()) ? "" : number(figure.published()),
                        deviation == null ? "" : String.format(Locale.ROOT, "%+.0f %%", deviation));
            }
            out.println();
            out.print(table.render());
            out.println("How: " + part.method() + ".");
            part.figures().stream().filter(figure -> Double.isNaN(figure.value())).map(LauberhornFigure::source)
                    .distinct().forEach(why -> out.println("Not counted: " + why + "."));
        }
        out.println();
        out.println("Inputs (" + result.costs().name() + ", " + CostProfiles.file(costs) + "):");
        result.costs().constants().values().forEach(c -> out.println("  " + c.path() + " = " + c.stated() + "  ["
                + c.confidence().word() + "] " + c.source()));
    }

    private static String number(double value) {
        if (Double.isNaN(value)) {
            return "not counted";
        }
        return String.format(Locale.ROOT, Math.abs(value) >= 1_000 ? "%,.0f" : Math.abs(value) >= 10 ? "%.1f" : "%.2f",
                value);
    }
}
