package dev.bascule.cli;

import dev.bascule.config.CostProfile;
import dev.bascule.workload.experiment.Reproduction;
import java.util.function.Consumer;
import picocli.CommandLine.Command;

/** Predicts experiments E1 to E9: Wave's transactions against the bilateral swap under equal conditions. */
@Command(name = "fito", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Predicts experiments E1 to E9: Wave's transactions against the bilateral swap under equal conditions.",
        "Simulated: the same agents and transports as live, in virtual time. Micro-costs from a cost profile are the only "
                + "inputs; each is printed with its source, and nothing is fitted to the published results that stand "
                + "beside the predictions." }, footer = { "", "Examples:", "  bascule reproduce fito --quick",
                        "  bascule reproduce fito --quick --json" })
final class ReproduceFitoCommand extends SimulatedReproduction {
    @Override
    Reproduction run(CostProfile profile, boolean isQuick, long fromSeed, Consumer<String> progress) {
        return Reproduction.fito(profile, isQuick, fromSeed, progress);
    }
}
