package dev.bascule.report;

import dev.bascule.json.Json;
import java.util.List;
import java.util.Map;

/**
 * The outcome of experiments: tables, distributions, and what they show in words; as text, as one JSON document, and as
 * one HTML page that needs nothing else.
 *
 * @param title what was compared
 * @param command the command that repeats it
 * @param started local date and time
 * @param seed decides everything random
 * @param config name and description of the hardware configuration
 * @param simulated whether latencies of its link are injected
 * @param machine where it ran
 * @param rules how the comparison is kept fair
 * @param sections one an experiment
 */
public record Findings(String title, String command, String started, long seed, String config, boolean simulated,
        MachineInfo machine, List<String> rules, List<Section> sections) {
    /** Changes when a field changes its meaning or goes. */
    public static final String SCHEMA = "bascule-compare/1";

    /** Copies the lists. */
    public Findings {
        rules = List.copyOf(rules);
        sections = List.copyOf(sections);
    }

    /**
     * Independent repeats of the same experiments, in the order of their seeds, put together: rates and times are means with
     * 95 % confidence intervals, counts are sums.
     */
    public static Findings ofRepeats(List<Findings> repeats) {
        return RepeatedFindings.merged(repeats);
    }

    /** One sentence on what is real and what is simulated here. */
    public String honesty() {
        return simulated
                ? "Simulated: the latencies of the link are injected from publications (configuration " + config
                        + "); counts, processes and faults are real."
                : "Measured: the SmartNIC is a software device of this machine without injected latency, the agent a"
                        + " process of its own; figures are this machine's, not those of a PCIe device. Processors are"
                        + " played by one thread in real time, their work is a deadline.";
    }

    /** Whether a figure is one that no correct run has: so the exit status should say it too. */
    public boolean isWrong() {
        return sections.stream().anyMatch(section -> !section.wrong().isEmpty());
    }

    private List<String> wrong() {
        return sections.stream().flatMap(section -> section.wrong().stream()
                .map(figure -> "WRONG: " + section.id() + ", " + figure.text())).toList();
    }

    /** For a terminal. */
    public String text() {
        StringBuilder out = new StringBuilder(title).append('\n').append(TextReport.wrap(honesty(), ""));
        wrong().forEach(line -> out.append(TextReport.wrap(line, "")));
        for (Section section : sections) {
            out.append('\n').append(section.id()).append(": ").append(section.title()).append('\n')
                    .append(TextReport.wrap(section.question(), ""));
            for (Grid grid : section.grids()) {
                out.append('\n').append(grid.caption()).append('\n').append(grid.render());
            }
            section.findings().forEach(line -> out.append(TextReport.wrap("* " + line, "  ")));
            section.notes().forEach(line -> out.append(TextReport.wrap("Note: " + line, "")));
        }
        out.append('\n');
        rules.forEach(rule -> out.append(TextReport.wrap("Rule: " + rule, "")));
        return out.append(TextReport.wrap("Machine: " + TextReport.machine(machine), "")).append("Configuration ")
                .append(config).append(", seed ").append(seed).append(". Repeat: ").append(command).append('\n')
                .toString();
    }

    /** The document. */
    public Json.Obj json() {
        return Json.object().put("schema", SCHEMA).put("title", title).put("command", command).put("started", started)
                .put("seed", seed).put("config", config).put("simulatedLink", simulated).put("honesty", honesty())
                .put("machine", JsonReport.machine(machine)).put("isWrong", isWrong())
                .put("rules", Json.texts(rules)).put("experiments", Json.array(sections, Section::json));
    }

    /** The page. */
    public String html() {
        HtmlPage page = new HtmlPage(title).pill(!isWrong(), isWrong() ? "wrong" : "nothing wrong");
        page.paragraph("honesty", honesty());
        wrong().forEach(line -> page.paragraph("verdict bad", line));
        sections.forEach(section -> section(page, section));
        return page.tag("h2", "How this was measured").list(rules)
                .tag("p", "Machine: " + TextReport.machine(machine) + ". Started " + started + ", configuration "
                        + config + ", seed " + seed + ".")
                .raw("<p>Repeat: ").cell("code", "", command).raw("</p>\n").end();
    }

    private static void section(HtmlPage page, Section section) {
        page.tag("h2", section.id() + ": " + section.title()).tag("p", section.question()).list(section.findings());
        for (Grid grid : section.grids()) {
            page.tag("h3", grid.caption());
            Map<String, String> plots = DotPlot.of(grid);
            page.raw("<div class=\"charts\">\n");
            plots.forEach((unit, plot) -> page.figure("", plot));
            page.raw("</div>\n<details").raw(plots.isEmpty() ? " open" : "").raw("><summary>All figures</summary>\n");
            table(page, grid);
            page.raw("</details>\n");
        }
        if (!section.windows().isEmpty()) {
            HistogramChart chart = new HistogramChart(
                    section.windows().stream().map(Section.Distribution::bars).toList(), "time (µs, log scale)");
            page.raw("<div class=\"charts\">\n");
            for (int i = 0; i < section.windows().size(); i++) {
                Section.Distribution d = section.windows().get(i);
                page.figure(d.name(), chart.render(d.name(), i % 4, d.bars(), d.marks()));
            }
            page.raw("</div>\n");
        }
        section.notes().forEach(note -> page.tag("p", "Note: " + note));
    }

    private static void table(HtmlPage page, Grid grid) {
        page.raw("<div class=\"wide\"><table>\n<thead><tr><th></th><th>unit</th>");
        grid.columns().forEach(name -> page.cell("th", "number", name));
        page.raw("</tr></thead>\n<tbody>\n");
        for (Grid.Row row : grid.rows()) {
            page.raw("<tr>").cell("td", "", row.label()).cell("td", "unit", row.unit());
            for (int column = 0; column < grid.columns().size(); column++) {
                page.cell("td", "number", grid.print(row, column));
            }
            page.raw("</tr>\n");
        }
        page.endTable();
    }
}
