package dev.bascule.cli;

import dev.bascule.json.Json;
import dev.bascule.registry.PolicySpec;
import dev.bascule.report.Numbers;
import dev.bascule.run.Errors;
import dev.bascule.run.Failure;
import dev.bascule.run.RunAgents;
import dev.bascule.run.UpgradeAnswer;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Another agent for a running host, without a gap. */
@Command(name = "upgrade", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Gives a running host another agent: a new version of its policy, or another policy.",
        "The new agent starts beside the one at work, gets a copy of its state if both policies are Upgradable, and takes "
                + "over between two rounds; the time without an agent is said. If the new one fails, the one at work goes on "
                + "and the exit status is 1." }, footer = { "", "Examples:",
                        "  bascule upgrade --region /dev/shm/mine --policy my.Sejf --policy-path sejf-2.jar",
                        "  bascule upgrade --region /dev/shm/mine --policy round-robin --policy-option quantum=20us --json",
                        "", "For an agent that was started by hand:",
                        "  bascule agent --attach /dev/shm/mine --transport wave --policy my.Sejf --policy-path sejf-2.jar --take-over" })
final class UpgradeCommand extends CommandBase {
    private static final long LIMIT_NANOS = 60_000_000_000L;

    @Option(names = "--region", required = true, paramLabel = "DIR", description = "run directory of the host")
    private Path region = Path.of("");

    @Mixin
    private PolicyOption policy = new PolicyOption();

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() {
        PolicySpec spec = policy.spec();
        RunAgents.checked(spec); // what is wrong with it is said here, and the host does not hear of it
        UpgradeAnswer answer = UpgradeAnswer
                .of(ControlClient.ask(region, UpgradeAnswer.SUBJECT, spec.arguments(), LIMIT_NANOS));
        if (json) {
            Json.Obj out = Json.object().put("upgraded", answer.failure() == null).put("policy", spec.toString())
                    .putFigure("gapMicros", answer.gapNanos() / 1e3, false);
            out().println((answer.failure() == null
                    ? out.putNull("failure")
                    : out.put("failure", answer.failure())).pretty());
        } else if (answer.failure() == null) {
            out().println("upgraded to " + spec + ": " + Numbers.digits(answer.gapNanos() / 1e6)
                    + " ms without an agent");
        } else {
            throw new Failure("not upgraded, the agent before it goes on: " + answer.failure());
        }
        return answer.failure() == null ? 0 : Errors.FAILED;
    }
}
