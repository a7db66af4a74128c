package dev.bascule.cli;

import dev.bascule.doctor.CoresChecks;
import dev.bascule.doctor.Finding;
import dev.bascule.doctor.HardwareChecks;
import dev.bascule.doctor.KernelChecks;
import dev.bascule.doctor.LoopbackChecks;
import dev.bascule.doctor.Machine;
import dev.bascule.doctor.RdmaChecks;
import dev.bascule.doctor.TierChecks;
import dev.bascule.host.scx.ClassLeftovers;
import dev.bascule.host.tier.AccessSources;
import dev.bascule.json.Json;
import dev.bascule.workload.RocksDbLibrary;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists what this machine has and what it lacks, with the command that mends it. */
@Command(name = "doctor", mixinStandardHelpOptions = true, description = {
        "Lists what Bascule can use and whether this machine has it, with the command that fixes what is missing.",
        "What is not there and the main job does not need is named alone; --all says what it is for and how to get it.",
        "Exit status 0 when the main job can run on the loopback device, 1 when it cannot. What only hardware needs is "
                + "no error." }, footer = { "", "Examples:", "  bascule doctor", "  bascule doctor --all",
                        "  bascule doctor --json",
                        "  bascule doctor --device my-card   # on the card's own cores" })
final class DoctorCommand extends CommandBase {
    @Option(names = "--device", paramLabel = "NAME", description = "on a card's own cores: whether they reach the region that this configuration describes; only that decides the exit status")
    private @Nullable String device;

    @Option(names = "--all", description = "what is not there and not needed, too, with the command that fixes it")
    private boolean all;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Option(names = "--fix", description = "take threads out of SCHED_EXT that a killed bascule kernel has left there; then the list")
    private boolean fix;

    @Override
    public Integer call() {
        if (fix) {
            err().println("bascule: " + ClassLeftovers.takeOut() + " threads taken out of SCHED_EXT");
        }
        if (device != null) {
            return say(Map.of("Card's cores", CoresChecks.of(CardDevice.smartNic(device), device)));
        }
        Machine machine = Machine.real();
        Map<String, List<Finding>> groups = new LinkedHashMap<>();
        groups.put("Main job", new LoopbackChecks(machine, RocksDbLibrary::problem).findings());
        groups.put("Cards and tools", new HardwareChecks(machine).findings());
        groups.put("Threads of the kernel (bascule kernel)", new KernelChecks(machine).findings());
        groups.put("RDMA (--link rdma)", RdmaChecks.of(machine).findings());
        groups.put("Memory tiering (bascule tier)",
                new TierChecks(machine, AccessSources.showsWrites()).findings());
        return say(groups);
    }

    private int say(Map<String, List<Finding>> groups) {
        PrintWriter out = out();
        out.print(json ? json(groups) : device == null ? text(groups, all) : lines(all(groups), "", all(groups)));
        out.flush();
        return canRun(all(groups)) ? 0 : 1;
    }

    private static List<Finding> all(Map<String, List<Finding>> groups) {
        return groups.values().stream().flatMap(List::stream).toList();
    }

    static boolean canRun(List<Finding> findings) {
        return findings.stream().noneMatch(Finding::isMissing);
    }

    /** Groups with one line per finding, folded ones named alone if not all are wanted; then the verdict. */
    static String text(Map<String, List<Finding>> groups, boolean all) {
        List<Finding> shown = all(groups).stream().filter(finding -> all || !finding.isFolded()).toList();
        StringBuilder out = new StringBuilder();
        groups.forEach((heading, findings) -> {
            out.append(heading).append('\n')
                    .append(lines(findings.stream().filter(shown::contains).toList(), "  ", shown));
            String folded = findings.stream().filter(finding -> !shown.contains(finding)).map(Finding::name)
                    .collect(Collectors.joining(", "));
            out.append(folded.isEmpty() ? "" : "  not there, not needed: " + folded + '\n').append('\n');
        });
        long missing = shown.stream().filter(Finding::isMissing).count();
        return out.append(missing == 0
                ? "The main job can run here: bascule run --quick\n"
                : "The main job cannot run here: " + missing + " missing, see above.\n")
                .append(shown.size() == all(groups).size()
                        ? ""
                        : "How to get what is not there: bascule doctor --all\n")
                .toString();
    }

    /** A line for each finding, in columns that fit all. */
    private static String lines(List<Finding> findings, String indent, List<Finding> all) {
        int nameWidth = all.stream().mapToInt(finding -> finding.name().length()).max().orElse(1);
        int verdictWidth = all.stream().mapToInt(finding -> finding.verdict().text.length()).max().orElse(1);
        StringBuilder out = new StringBuilder();
        for (Finding finding : findings) {
            out.append(indent).append(pad(finding.name(), nameWidth)).append("  ")
                    .append(pad(finding.verdict().text, verdictWidth))
                    .append("  ").append(finding.found());
            if (!finding.fix().isEmpty()) {
                out.append("; fix: ").append(finding.fix());
            }
            out.append('\n');
        }
        return out.toString();
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(width - text.length());
    }

    static String json(Map<String, List<Finding>> groups) {
        List<Map.Entry<String, Finding>> checks = new ArrayList<>();
        groups.forEach((heading, findings) -> findings.forEach(one -> checks.add(Map.entry(heading, one))));
        return Json.object().put("mainJobCanRun", canRun(all(groups)))
                .put("checks", Json.array(checks, check -> Json.object().put("name", check.getValue().name())
                        .put("group", check.getKey()).put("verdict", check.getValue().verdict().text)
                        .put("found", check.getValue().found())
                        .put("fix", check.getValue().fix().isEmpty() ? null : check.getValue().fix())))
                .pretty();
    }
}
