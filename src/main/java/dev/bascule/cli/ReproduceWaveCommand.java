package dev.bascule.cli;

import dev.bascule.config.CostProfile;
import dev.bascule.workload.experiment.Reproduction;
import java.util.function.Consumer;
import picocli.CommandLine.Command;

/** Predicts Wave's experiments: micro-benchmarks, optimisation ladder, placement of the agent, virtual machines, memory, RPC. */
@Command(name = "wave", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Predicts Wave's experiments: micro-benchmarks, optimisation ladder, placement of the agent, virtual machines, memory, RPC.",
        "Simulated: the same agents and transports as live, in virtual time. Micro-costs from a cost profile are the only "
                + "inputs; each is printed with its source, and nothing is fitted to the published results that stand "
                + "beside the predictions." }, footer = { "", "Examples:", "  bascule reproduce wave --quick",
                        "  bascule reproduce wave --costs ./my-costs.yaml" })
final class ReproduceWaveCommand extends SimulatedReproduction {
    @Override
    Reproduction run(CostProfile profile, boolean isQuick, long fromSeed, Consumer<String> progress) {
        return Reproduction.wave(profile, isQuick, fromSeed, progress);
    }
}
