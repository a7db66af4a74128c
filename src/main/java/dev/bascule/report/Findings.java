package dev.bascule.report;

import java.util.List;

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

    /** One sentence on what is real and what is simulated here. */
    public String honesty() {
        return simulated
                ? "Simulated: the latencies of the link are injected from publications (configuration " + config
                        + "); counts, processes and faults are real."
                : "Measured: the SmartNIC is a software device of this machine without injected latency, the agent a"
                        + " process of its own; figures are this machine's, not those of a PCIe device. Processors are"
                        + " played by one thread in real time, their work is a deadline.";
    }

    /** Whether a figure is one that no correct run has: who starts this should be told by more than words. */
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
        Json.Arr experiments = Json.array();
        sections.forEach(section -> experiments.add(section.json()));
        return Json.object().put("schema", SCHEMA).put("title", title).put("command", command).put("started", started)
                .put("seed", seed).put("config", config).put("simulatedLink", simulated).put("honesty", honesty())
                .put("machine", JsonReport.machine(machine)).put("isWrong", isWrong())
                .put("rules", Section.texts(rules))
                .put("experiments", experiments);
    }

    /** The page. */
    public String html() {
        StringBuilder out = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .append("<meta name=\"color-scheme\" content=\"light dark\">\n<title>").append(Svg.escape(title))
                .append("</title>\n<style>\n").append(HtmlStyle.CSS).append("</style>\n</head>\n<body>\n<main>\n");
        tag(out, "h1", title);
        out.append("<p class=\"honesty\">").append(Svg.escape(honesty())).append("</p>\n");
        wrong().forEach(line -> out.append("<p class=\"verdict bad\">").append(Svg.escape(line)).append("</p>\n"));
        sections.forEach(section -> section(out, section));
        tag(out, "h2", "How this was measured");
        list(out, rules);
        tag(out, "p", "Machine: " + TextReport.machine(machine) + ". Started " + started + ", configuration " + config
                + ", seed " + seed + ".");
        out.append("<p>Repeat: <code>").append(Svg.escape(command)).append("</code></p>\n");
        return out.append("</main>\n</body>\n</html>\n").toString();
    }

    private static void section(StringBuilder out, Section section) {
        tag(out, "h2", section.id() + ": " + section.title());
        tag(out, "p", section.question());
        list(out, section.findings());
        for (Grid grid : section.grids()) {
            tag(out, "h3", grid.caption());
            table(out, grid);
        }
        if (!section.windows().isEmpty()) {
            HistogramChart chart = new HistogramChart(
                    section.windows().stream().map(Section.Distribution::bars).toList(), "time (µs, log scale)");
            out.append("<div class=\"charts\">\n");
            for (int i = 0; i < section.windows().size(); i++) {
                Section.Distribution d = section.windows().get(i);
                out.append("<figure>\n<figcaption>").append(Svg.escape(d.name())).append("</figcaption>\n")
                        .append(chart.render(d.name(), i % 4, d.bars(), d.marks())).append("</figure>\n");
            }
            out.append("</div>\n");
        }
        section.notes().forEach(note -> tag(out, "p", "Note: " + note));
    }

    private static void table(StringBuilder out, Grid grid) {
        out.append("<div class=\"wide\"><table>\n<thead><tr><th></th><th>unit</th>");
        grid.columns().forEach(name -> out.append("<th class=\"number\">").append(Svg.escape(name)).append("</th>"));
        out.append("</tr></thead>\n<tbody>\n");
        for (Grid.Row row : grid.rows()) {
            out.append("<tr><td>").append(Svg.escape(row.label())).append("</td><td class=\"unit\">")
                    .append(Svg.escape(row.unit())).append("</td>");
            for (int column = 0; column < grid.columns().size(); column++) {
                out.append("<td class=\"number\">").append(row.print(column)).append("</td>");
            }
            out.append("</tr>\n");
        }
        out.append("</tbody></table></div>\n");
    }

    private static void list(StringBuilder out, List<String> items) {
        out.append("<ul>\n");
        items.forEach(item -> tag(out, "li", item));
        out.append("</ul>\n");
    }

    private static void tag(StringBuilder out, String name, String text) {
        out.append('<').append(name).append('>').append(Svg.escape(text)).append("</").append(name).append(">\n");
    }
}
