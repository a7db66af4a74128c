package dev.bascule.report;

import java.util.ArrayList;
import java.util.List;

/** The report as text for a terminal: understandable to a person who has read nothing else. */
public final class TextReport {
    /** Meaning of the mark. */
    static final String SATURATED = Metric.SATURATED
            + ": more was offered than could be answered there (its capacity is"
            + " the first figure). Latency then tells how long the backlog was let grow, and is set in no ratio.";
    private static final int WIDTH = 100;

    private TextReport() {}

    /** The whole text, each line ended. */
    public static String of(RunReport report) {
        StringBuilder out = new StringBuilder();
        out.append(report.title()).append('\n').append(wrap(report.workload(), "")).append('\n');
        for (RunResult result : report.results()) {
            out.append(wrap(result.transport() + ": " + result.description(), "  "));
        }
        out.append('\n').append(table(report).render()).append('\n');
        report.wrong().forEach(line -> out.append(wrapHanging(line)));
        out.append(requestsVerdict(report)).append('\n');
        report.verdicts().forEach(line -> out.append(wrapHanging(line)));
        String price = report.priceOfDelegation();
        if (!price.isEmpty()) {
            out.append(wrap(price, ""));
        }
        out.append(wrap("Latency: from the moment a request was meant to arrive to its answer."
                + " Decision window: from the agent seeing the state to the host acting on the decision; the shorter,"
                + " the less can change in between. Stale: something did change, and the host refused the decision.",
                ""));
        if (report.results().stream().anyMatch(RunResult::isSaturatedSomewhere)) {
            out.append(wrap(SATURATED, ""));
        }
        if (report.repeats() > 1) {
            out.append(wrap(report.aboutRepeats(), ""));
        }
        out.append(wrap(report.honesty(), ""));
        out.append(wrap("Machine: " + machine(report.machine()), ""));
        return out.append("Configuration ").append(report.config().name()).append(", seed ").append(report.seed())
                .append(". Repeat: ").append(report.command()).append('\n').toString();
    }

    private static Table table(RunReport report) {
        List<String> headers = new ArrayList<>(List.of("", "unit"));
        List<RunResult> others = new ArrayList<>();
        report.results().forEach(r -> headers.add(r.transport()));
        report.referenceResult()
                .ifPresent(reference -> report.results().stream().filter(r -> r != reference && r.isDelegated())
                        .forEach(r -> {
                            others.add(r);
                            headers.add(r.transport() + "/" + reference.transport());
                        }));
        Table table = new Table(2, headers.toArray(String[]::new));
        String group = "";
        for (Metric metric : Metric.rows(report)) {
            if (!metric.group().equals(group)) {
                group = metric.group();
                table.heading(group);
            }
            List<String> cells = new ArrayList<>(List.of("  " + metric.label(), metric.unit()));
            report.results().forEach(r -> cells.add(metric.print(r)));
            others.forEach(r -> cells.add(metric.printRatio(r, report.referenceResult().orElseThrow())));
            table.row(cells.toArray(String[]::new));
        }
        return table;
    }

    /** Account of the requests, in one line; empty if some went astray, which {@link RunReport#wrong} says. */
    static String requestsVerdict(RunReport report) {
        return report.results().stream().allMatch(r -> r.requests().isClean())
                ? "Every request was answered exactly once and rightly, or refused."
                : "";
    }

    static String machine(MachineInfo m) {
        String memory = m.memoryBytes() > 0
                ? ", " + Numbers.decimal(m.memoryBytes() / (double) (1 << 30)) + " GiB"
                : "";
        return m.cpu() + ", " + m.cores() + (m.cores() == 1 ? " CPU" : " CPUs") + memory + "; " + m.kernel() + "; "
                + m.jdk();
    }

    static String wrap(String text, String indent) {
        return wrap(text, indent, indent + indent);
    }

    /** The lines after the first are indented. */
    private static String wrapHanging(String text) {
        return wrap(text, "", "  ");
    }

    private static String wrap(String text, String indent, String further) {
        StringBuilder out = new StringBuilder();
        StringBuilder line = new StringBuilder(indent);
        for (String word : text.split(" ")) {
            if (line.length() + 1 + word.length() > WIDTH && !line.toString().isBlank()) {
                out.append(line.toString().stripTrailing()).append('\n');
                line = new StringBuilder(further);
            }
            line.append(word).append(' ');
        }
        return out.append(line.toString().stripTrailing()).append('\n').toString();
    }
}
