package dev.bascule.cli;

import dev.bascule.host.scx.ClassLeftovers;
import dev.bascule.host.tier.AccessSources;
import dev.bascule.json.Json;
import dev.bascule.workload.RocksDbLibrary;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists what this machine has and what it lacks, with the command that mends it. */
@Command(name = "doctor", mixinStandardHelpOptions = true, description = {
        "Lists what Bascule can use and whether this machine has it, with the command that fixes what is missing.",
        "Exit status 0 when the main job can run on the loopback device, 1 when it cannot. What only hardware needs is "
                + "no error." }, footer = { "", "Examples:", "  bascule doctor", "  bascule doctor --json",
                        "  bascule doctor --device my-card   # on the card's own cores" })
final class DoctorCommand extends CommandBase {
    @Option(names = "--device", paramLabel = "NAME", description = "on a card's own cores: whether they reach the region that this configuration describes; only that decides the exit status")
    private @Nullable String device;

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
            return say(CoresChecks.of(device));
        }
        Machine machine = Machine.real();
        List<Finding> findings = new ArrayList<>(new LoopbackChecks(machine, RocksDbLibrary::problem).findings());
        findings.addAll(new HardwareChecks(machine).findings());
        findings.addAll(new KernelChecks(machine).findings());
        findings.addAll(RdmaChecks.of(machine).findings());
        findings.addAll(new TierChecks(machine, AccessSources.showsWrites()).findings());
        return say(findings);
    }

    private int say(List<Finding> findings) {
        PrintWriter out = out();
        out.print(json ? json(findings) : device == null ? text(findings) : lines(findings));
        out.flush();
        return canRun(findings) ? 0 : 1;
    }

    static boolean canRun(List<Finding> findings) {
        return findings.stream().noneMatch(Finding::isMissing);
    }

    /** One line per finding, then the verdict. */
    static String text(List<Finding> findings) {
        long missing = findings.stream().filter(Finding::isMissing).count();
        return lines(findings) + '\n' + (missing == 0
                ? "The main job can run here: bascule run --quick\n"
                : "The main job cannot run here: " + missing + " missing, see above.\n");
    }

    private static String lines(List<Finding> findings) {
        int nameWidth = findings.stream().mapToInt(finding -> finding.name().length()).max().orElse(1);
        int verdictWidth = findings.stream().mapToInt(finding -> finding.verdict().text.length()).max().orElse(1);
        StringBuilder out = new StringBuilder();
        for (Finding finding : findings) {
            out.append(pad(finding.name(), nameWidth)).append("  ").append(pad(finding.verdict().text, verdictWidth))
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

    static String json(List<Finding> findings) {
        return Json.object().put("mainJobCanRun", canRun(findings))
                .put("checks", Json.array(findings, finding -> Json.object().put("name", finding.name())
                        .put("verdict", finding.verdict().text).put("found", finding.found())
                        .put("fix", finding.fix().isEmpty() ? null : finding.fix())))
                .pretty();
    }
}
