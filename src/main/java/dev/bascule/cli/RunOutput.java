package dev.bascule.cli;

import dev.bascule.config.HardwareConfig;
import dev.bascule.host.LiveTrace;
import dev.bascule.json.Json;
import dev.bascule.local.LocalProtocol;
import dev.bascule.report.HtmlReport;
import dev.bascule.report.JsonReport;
import dev.bascule.report.LiveChromeTrace;
import dev.bascule.report.LoadPoint;
import dev.bascule.report.MachineInfo;
import dev.bascule.report.Percentiles;
import dev.bascule.report.RunReport;
import dev.bascule.report.RunResult;
import dev.bascule.report.TextReport;
import dev.bascule.run.EnclavePlan;
import dev.bascule.run.MainJob;
import dev.bascule.run.PointResult;
import dev.bascule.run.RunPlan;
import dev.bascule.run.Transports;
import dev.bascule.run.UpgradeReport;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.workload.Arrivals;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import picocli.CommandLine.Help;

/** The main job's results as table, JSON and report. */
final class RunOutput {
    /** The load whose latency stands in the table; the whole sweep is in the report. */
    private static final double TABLE_LOAD = 0.7;
    private static final String RED = "\u001b[1;31m";
    private static final String PLAIN = "\u001b[0m";

    private final RunPlan plan;
    private final RunReport report;
    private final Json.Arr upgrades = Json.array();
    private final Json.Arr cpuEvents = Json.array();
    private final Map<String, LiveTrace> traces = new LinkedHashMap<>();

    /** With the results of each repeat. */
    RunOutput(RunPlan plan, HardwareConfig hardware, MachineInfo machine, List<MainJob.Result> repeats,
            String command) {
        this.plan = plan;
        repeats.forEach(result -> result.transports().forEach(this::collect));
        MainJob.Result result = repeats.getFirst();
        List<RunResult> results = new ArrayList<>();
        for (int i = 0; i < result.transports().size(); i++) {
            int at = i;
            results.add(RunResult.ofRepeats(
                    repeats.stream().map(one -> resultOf(one.transports().get(at), one)).toList()));
        }
        report = new RunReport("Bascule main job: an agent beside the host's CPUs decides which request runs next",
                command, result.service() + arrivals(plan.load().arrivals()),
                LocalDateTime.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                plan.load().seed(),
                hardware, machine, plan.comparesPolicies() ? plan.columns().getFirst().name() : LocalProtocol.NAME,
                results, notes(repeats));
    }

    private static String arrivals(Arrivals of) {
        return of.equals(Arrivals.POISSON) ? "" : ", arrivals " + of;
    }

    /** The trace is of the last repeat. */
    private void collect(MainJob.OfTransport of) {
        of.upgrades().forEach(upgrade -> upgrades.add(UpgradeReport.json(of.name(), upgrade)));
        of.cpuEvents().forEach(event -> cpuEvents.add(Json.object().put("transport", of.name()).put("event", event)));
        LiveTrace trace = of.trace();
        if (trace != null) {
            traces.put(of.name(), trace);
        }
    }

    private RunResult resultOf(MainJob.OfTransport of, MainJob.Result all) {
        List<PointResult> points = of.points();
        PointResult shown = points.get(0);
        for (PointResult point : points) {
            boolean nearer = Math.abs(point.load() - TABLE_LOAD) < Math.abs(shown.load() - TABLE_LOAD);
            shown = nearer ? point : shown;
        }
        List<LoadPoint> curve = points.stream().map(point -> loadPoint(point, of.ownPerSecond())).toList();
        return new RunResult(of.name(), describe(of.name(), shown.load()),
                of.ownPerSecond(), real(points, PointResult::seconds),
                new RunResult.Requests(sum(points, p -> p.requests().issued()),
                        sum(points, p -> p.requests().completed()), sum(points, p -> p.requests().rejected()),
                        sum(points, p -> p.requests().lost()), sum(points, p -> p.requests().duplicated()),
                        sum(points, p -> p.requests().wrongAnswers() + p.requests().failed())),
                loadPoint(shown, of.ownPerSecond()),
                of.isWithoutAgent()
                        ? hostsOwn(points)
                        : new RunResult.Decisions(sum(points, PointResult::decisions), sum(points, PointResult::stale),
                                sum(points, PointResult::aborted), sum(points, PointResult::prestageHits),
                                sum(points, PointResult::localDecisions), of.who().refused()),
                shown.window(), shown.windowBars(),
                new RunResult.Resources(of.isWithoutAgent() ? Double.NaN : real(points, PointResult::agentCpuSeconds),
                        real(points, PointResult::hostCpuSeconds), sum(points, PointResult::fences),
                        all.peakResidentBytes() + of.agentResidentBytes()),
                of.faults(), curve);
    }

    private static RunResult.Decisions hostsOwn(List<PointResult> points) {
        return new RunResult.Decisions(RunResult.NOT_MEASURED, RunResult.NOT_MEASURED, RunResult.NOT_MEASURED,
                RunResult.NOT_MEASURED, sum(points, PointResult::localDecisions), RunResult.NOT_MEASURED);
    }

    private static LoadPoint loadPoint(PointResult point, double capacityPerSecond) {
        return new LoadPoint(point.offeredPerSecond(), point.servedPerSecond(), point.latency(), point.classes(),
                point.isSaturated(capacityPerSecond));
    }

    private String describe(String name, double load) {
        EnclavePlan.One one = plan.enclaves().named(name);
        RunPlan.Column column = plan.column(name);
        String where = one == null
                ? (plan.comparesPolicies() && column != null && !name.equals(Transports.NO_AGENT)
                        ? "policy " + column.policy() + ", "
                        : "") + where(column == null ? name : column.transport())
                : "enclave on CPUs " + one.cpus() + " when it began; "
                        + (one.agents() == 1 ? "" : one.agents() + " agents, ")
                        + "policy " + one.policy() + ", " + where(one.transport());
        return where + "; load, latency and window at %.0f %% of capacity, counts over all %d load points".formatted(
                load * 100, plan.load().parts().size());
    }

    private String where(String transport) {
        return switch (transport) {
            case LocalProtocol.NAME -> "agent on the host's own cores, coherent memory (as ghOSt)"
                    + (plan.comparesPolicies() ? "" : "; the reference");
            case Transports.NO_AGENT ->
                "no agent: the host's own queue decides, oldest task first; what delegation is measured by";
            case SwapProtocol.NAME -> "agent on the SmartNIC's side, ownership exchange through its memory, mode "
                    + plan.region().link().swap().mode().text() + ", placement "
                    + plan.region().link().placement().text();
            default -> "agent on the SmartNIC's side, queues through its memory (as Wave), placement "
                    + plan.region().link().placement().text();
        };
    }

    private String aboutLoads(MainJob.Result result) {
        double perSecond = result.capacityPerSecond();
        if (!result.capacityMeasured()) {
            return "Loads are parts of %,.0f requests/s%s, a figure that was given and not measured."
                    .formatted(perSecond, plan.enclaves().isEmpty() ? "" : " in each enclave");
        }
        double least = result.transports().stream().mapToDouble(MainJob.OfTransport::ownPerSecond).min().orElse(0);
        return "Loads are parts of %,.0f requests/s, %s: what one of them answered on %d host CPU(s) when offered more."
                .formatted(perSecond, least < perSecond
                        ? "near the least of the capacities, %,.0f".formatted(least)
                        : "the least of the capacities", Math.min(plan.host().cpus(), plan.host().carriers()));
    }

    private List<String> notes(List<MainJob.Result> repeats) {
        List<String> notes = new ArrayList<>();
        notes.add(aboutLoads(repeats.getFirst()));
        notes.add("Host CPUs " + (plan.host().polling()
                ? "poll while they are idle, so host CPU time includes spinning."
                : "sleep while they are idle."));
        notes.add(plan.host().patience().text());
        notes.add(Percentiles.RULE);
        String policy = plan.agent().place() == RunPlan.AgentPlace.EXTERNAL
                ? "The agent's own policy"
                : plan.comparesPolicies() ? "A policy a column" : "Policy " + plan.agent().policy();
        notes.add(!plan.enclaves().isEmpty()
                ? "Agents are, each, " + plan.agent().place().text + "; enclaves ran at the same time."
                : policy + "; " + (plan.agent().count() == 1
                        ? "the agent is " + plan.agent().place().text + "."
                        : "each of " + plan.agent().count() + " agents, with CPUs of its own, is "
                                + plan.agent().place().text
                                + "."));
        if (plan.comparesPolicies() && repeats.size() == 1) {
            notes.add(
                    "One run a policy tells no difference from chance: --repeat 5 gives intervals and a verdict.");
        }
        for (int i = 0; i < repeats.size(); i++) {
            String where = repeats.size() == 1 ? "" : "repeat " + (i + 1) + ", ";
            repeats.get(i).transports().forEach(of -> note(of, where + of.name(), notes));
        }
        return notes;
    }

    private static void note(MainJob.OfTransport of, String where, List<String> notes) {
        if (!of.isAroundClean()) {
            notes.add(where
                    + ": requests were lost, answered twice or wrongly before the first load point or after the last: "
                    + of.around().stream().map(PointResult::requests).filter(one -> !one.isClean()).toList());
        }
        if (of.who().excused() > 0) {
            notes.add(where
                    + ": the agent was killed as asked; until the next was ready the host made %,d decisions, which are not held against the policy"
                            .formatted(of.who().excused()));
        }
        notes.addAll(UpgradeReport.notes(where, of.upgrades()));
        of.remarks().forEach(remark -> notes.add(where + ": " + remark));
        of.cpuEvents().stream().limit(5).forEach(event -> notes.add(where + ": " + event));
        of.incidents().stream().limit(5).forEach(incident -> notes.add(where + ": " + incident));
        if (of.incidents().size() > 5) {
            notes.add(where + ": and " + (of.incidents().size() - 5) + " more incidents");
        }
    }

    private static long sum(List<PointResult> points, ToLongFunction<PointResult> count) {
        return points.stream().mapToLong(count).sum();
    }

    private static double real(List<PointResult> points, ToDoubleFunction<PointResult> value) {
        return points.stream().mapToDouble(value).sum();
    }

    void printTable(PrintWriter out) {
        print(out, TextReport.of(report));
        report.notes().forEach(note -> out.println("Note: " + note));
        out.flush();
    }

    /** Prints a text; lines that report something wrong are red where the terminal has colours. */
    private static void print(PrintWriter out, String text) {
        boolean red = false;
        for (String line : text.lines().toList()) {
            red = line.startsWith(RunReport.WRONG) || red && line.startsWith(" ");
            out.println(red && Help.Ansi.AUTO.enabled() ? RED + line + PLAIN : line);
        }
    }

    void printJson(PrintWriter out) {
        out.println(JsonReport.of(report).put("agentWait", plan.host().patience().json()).put("upgrades", upgrades)
                .put("cpuEvents", cpuEvents).pretty());
        out.flush();
    }

    /** The traces of all transports in one file. */
    void writeTrace(Path file) {
        try (Writer out = Files.newBufferedWriter(file)) {
            LiveChromeTrace.write(traces, out);
        } catch (IOException e) {
            throw new UncheckedIOException("write trace " + file + ": " + e.getMessage()
                    + "; name another file with --trace", e);
        }
    }

    void writeReport(Path file) {
        try {
            Files.writeString(file, HtmlReport.of(report));
        } catch (IOException e) {
            throw new UncheckedIOException("write report " + file + ": " + e.getMessage()
                    + "; name another file with --report, or 'none'", e);
        }
    }
}
