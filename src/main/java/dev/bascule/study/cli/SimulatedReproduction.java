package dev.bascule.study.cli;

import dev.bascule.cli.CommandBase;
import dev.bascule.run.OutputFile;
import dev.bascule.run.Progress;
import dev.bascule.cli.Range;
import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.json.Json;
import dev.bascule.report.Estimate;
import dev.bascule.report.Table;
import dev.bascule.study.experiment.Figure;
import dev.bascule.study.experiment.Reproduction;
import dev.bascule.study.experiment.Section;
import dev.bascule.study.report.Agreement;
import dev.bascule.study.report.TablesReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Common part of the commands that predict published experiments in the simulated host. */
abstract class SimulatedReproduction extends CommandBase {
    /** Kinds of figures, and what each rests on. */
    static final String KINDS = "predicted: published, not among the inputs, and nothing chosen decides it; computed:"
            + " follows from the inputs, nothing was published; calibrated: fitted to it; chosen: by what this project"
            + " set; limit: by a limit of the model; measured: not simulated, but by the live form on this machine, at the"
            + " scale of its note.";

    @Option(names = "--quick", description = "shorter runs and fewer points: about a minute")
    private boolean quick;

    @Option(names = "--json", description = "print one JSON document instead of tables")
    private boolean json;

    @Option(names = "--costs", paramLabel = "NAME", description = "file of hw-configs/costs/ or a path; default "
            + CostProfiles.DEFAULT + ", of ghost ghost-measured")
    private @Nullable String costs;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "arrivals and service times; default 1")
    private long seed = 1;

    @Range("1..1000")
    @Option(names = "--repeat", paramLabel = "N", description = "independent repeats of everything; default "
            + Reproduction.Size.REPEATS + ", with --quick " + Reproduction.Size.QUICK_REPEATS)
    private int repeat;

    @OutputFile.AtEnd
    @Option(names = "--csv", paramLabel = "FILE", description = "write a line for each figure")
    private @Nullable Path csv;

    /** The cost profile if none is named. */
    String usualCosts() {
        return CostProfiles.DEFAULT;
    }

    abstract Reproduction run(CostProfile profile, Reproduction.Size size, Consumer<String> progress);

    /**
     * Figures measured on this machine beside the simulated ones of a section; none unless a command overrides this.
     */
    List<Figure> live(Section section, Reproduction.Size size, Consumer<String> progress) throws InterruptedException {
        return List.of();
    }

    private Reproduction withLive(Reproduction simulated, Consumer<String> progress) throws InterruptedException {
        List<Section> sections = new ArrayList<>();
        for (Section section : simulated.sections()) {
            sections.add(section.with(live(section, simulated.size(), progress)));
        }
        return simulated.with(sections);
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        String named = costs == null ? usualCosts() : costs;
        CostProfile profile = CostProfiles.load(named);
        String file = CostProfiles.file(named);
        Progress progress = new Progress(System.err);
        Reproduction.Size size = repeat == 0
                ? Reproduction.Size.of(quick, seed)
                : new Reproduction.Size(quick, repeat, seed);
        progress.say("repeats of each experiment: " + size.repeats());
        Reproduction result = withLive(run(profile, size, progress::say), progress::say);
        PrintWriter out = out();
        if (json) {
            out.print(json(result, file).pretty());
        } else {
            print(out, result, file);
        }
        out.flush();
        if (csv != null) {
            csv(csv, result.sections());
        }
        return result.littleErrors() == 0 ? 0 : 1;
    }

    static Json.Obj json(Reproduction result, String costsFile) {
        Reproduction.Size size = result.size();
        return Json.object().put("reproduce", result.name()).put("simulated", true).put("quick", size.quick())
                .put("seed", size.seed()).put("repeats", size.repeats()).put("costProfile", result.profile().name())
                .put("costProfileFile", costsFile)
                .put("runs", result.runs())
                .put("runsThatBrokeLittlesLaw", result.littleErrors())
                .put("agreement", json(result.agreement()))
                .put("inputs", Json.array(result.profile().constants().values(), c -> Json.object()
                        .put("name", c.path()).put("stated", c.stated()).put("source", c.source())
                        .put("confidence", c.confidence().word())))
                .put("sections", Json.array(result.sections(), SimulatedReproduction::json));
    }

    /** Agreement with published figures, and why the rest differs. */
    static Json.Obj json(Agreement agreement) {
        return Json.object().put("agrees", agreement.agrees()).put("differs", agreement.differs()).put("why",
                agreement.why());
    }

    /** One experiment: each figure with its kind, its interval and its published counterpart. */
    static Json.Obj json(Section section) {
        return Json.object().put("id", section.id()).put("title", section.title()).put("method", section.method())
                .put("figures", Json.array(section.figures(), SimulatedReproduction::json));
    }

    static void csv(Path file, List<Section> sections) throws IOException {
        SimOutput.lines(file,
                List.of("experiment", "what", "unit", "kind", "value", "low95", "high95", "repeats", "publishedLow",
                        "publishedHigh", "source"),
                sections.stream().flatMap(section -> section.figures().stream().map(figure -> line(section, figure))));
    }

    private static List<String> line(Section section, Figure figure) {
        Estimate estimate = figure.estimate();
        Figure.Published known = figure.published();
        return List.of(section.id(), figure.what(), figure.unit(), figure.kind().word(), SimOutput.cell(figure.value()),
                SimOutput.cell(estimate.low()), SimOutput.cell(estimate.high()), Integer.toString(estimate.repeats()),
                SimOutput.cell(known == null ? Double.NaN : known.low()),
                SimOutput.cell(known == null ? Double.NaN : known.high()), known == null ? "" : known.source());
    }

    private static Json.Obj json(Figure figure) {
        Json.Obj object = Json.object().put("what", figure.what()).put("unit", figure.unit())
                .put("kind", figure.kind().word()).putFigure("value", figure.value(), true)
                .putFigure("low95", figure.estimate().low(), true).putFigure("high95", figure.estimate().high(), true)
                .put("repeats", figure.estimate().repeats());
        if (!figure.note().isEmpty()) {
            object.put("note", figure.note());
        }
        if (!figure.choice().isEmpty()) {
            object.put(figure.kind().word(), figure.choice());
        }
        Figure.Published published = figure.published();
        if (published == null) {
            return object.putNull("published");
        }
        object.put(published.isOwn() ? "analysed" : "published",
                Json.object().put("low", published.low()).put("high", published.high())
                        .put("source", published.source()).put("confidence", published.confidence()));
        if (!figure.isCompared()) {
            return object;
        }
        return object.put(figure.isDifference() ? "difference" : "deviationPercent", figure.deviation());
    }

    private static void print(PrintWriter out, Reproduction result, String costsFile) {
        result.agreement().lines().forEach(out::println);
        out.println("SIMULATED: the simulated host beside published figures; means of " + result.size().repeats()
                + " repeats with seeds of their own, with 95 % intervals (Student's t).\n"
                + KINDS);
        for (Section section : result.sections()) {
            out.println();
            print(out, section);
        }
        out.println();
        out.println(
                "* not read in the primary source; ** this project's own analysis, not published. Inputs (cost profile '"
                        + result.profile().name() + "', " + costsFile + "):");
        result.profile().constants().values().forEach(c -> out.println("  " + c.path() + " = " + c.stated() + "  ["
                + c.confidence().word() + "] " + c.source()));
        out.println(result.runs() + " runs; Little's law broken in " + result.littleErrors() + ".");
    }

    /** One experiment as a table, with how it was simulated, its sources, choices and notes below. */
    static void print(PrintWriter out, Section section) {
        Table table = new Table(1, "(" + section.id() + ") " + section.title(), "unit", "simulated", "kind",
                "published",
                "deviation");
        for (Figure figure : section.figures()) {
            table.row(figure.what(), figure.unit(), figure.estimate().text(), figure.kind().word(), known(figure),
                    figure.isCompared() ? figure.deviationText() : "");
        }
        out.print(table.render());
        out.println("How: " + section.method() + ".");
        sources(section).forEach(out::println);
        choices(section).forEach(out::println);
        notes(section).forEach(out::println);
    }

    /** Experiments as a page of its own: a table each, and the drawings. */
    static String page(String title, String honesty, List<Section> sections, Iterable<String> drawings) {
        return TablesReport.html(title, honesty, List.of("", "unit", "simulated", "kind", "published", "deviation"),
                sections.stream().map(section -> new TablesReport.Part("(" + section.id() + ") " + section.title(),
                        "How: " + section.method() + ".",
                        section.figures().stream().map(SimulatedReproduction::row).toList())).toList(),
                drawings);
    }

    private static List<String> row(Figure figure) {
        Figure.Published published = figure.published();
        return List.of(figure.what(), figure.unit(), figure.estimate().text(), figure.kind().word(),
                published == null ? "" : known(figure) + ", " + published.source(),
                figure.isCompared() ? figure.deviationText() : "");
    }

    /** The published figure or range, marked by how far it is to be trusted; empty if there is none. */
    private static String known(Figure figure) {
        Figure.Published p = figure.published();
        if (p == null) {
            return "";
        }
        String upTo = p.high() > p.low() ? " to " + number(p.high()) : "";
        return number(p.low()) + upTo + mark(p);
    }

    private static String mark(Figure.Published published) {
        return published.isOwn() ? " **" : published.confidence().equals("primary") ? "" : " *";
    }

    private static Set<String> notes(Section section) {
        Set<String> lines = new LinkedHashSet<>();
        for (Figure figure : section.figures()) {
            if (figure.kind() == Figure.Kind.MEASURED) {
                lines.add("  measured: " + figure.note()); // one scale for all of a section
            } else if (!figure.note().isEmpty()) {
                lines.add("  " + figure.note() + " (" + figure.what() + ")");
            }
        }
        return lines;
    }

    private static Set<String> choices(Section section) {
        Set<String> lines = new LinkedHashSet<>();
        for (Figure figure : section.figures()) {
            if (!figure.choice().isEmpty()) {
                lines.add("  " + figure.kind().word() + ": " + figure.choice() + " (" + figure.what() + ")");
            }
        }
        return lines;
    }

    private static Set<String> sources(Section section) {
        Set<String> lines = new LinkedHashSet<>();
        for (Figure figure : section.figures()) {
            Figure.Published p = figure.published();
            if (p != null) {
                lines.add("  " + number(p.low()) + ": " + p.source() + " (" + p.confidence() + ")");
            }
        }
        return lines;
    }

    private static String number(double value) {
        return Math.abs(value) >= 1000
                ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, "%.3g", value).contains("e")
                        ? String.format(Locale.ROOT, "%.4f", value)
                        : String.format(Locale.ROOT, "%.2f", value);
    }
}
