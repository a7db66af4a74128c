package dev.bascule.cli;

import dev.bascule.config.CostProfile;
import dev.bascule.workload.experiment.Figure;
import dev.bascule.workload.experiment.Reproduction;
import dev.bascule.workload.experiment.Section;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Published results, counted or simulated anew; each is a subcommand. */
@Command(name = "reproduce", mixinStandardHelpOptions = true, description = {
        "Counts or simulates what papers report, and prints it beside the published figures." }, subcommands = {
                ReproduceEnsoCommand.class, ReproduceNagareCommand.class, ReproduceLauberhornCommand.class,
                ReproduceCommand.Wave.class,
                ReproduceCommand.Fito.class, ReproduceCommand.Ghost.class }, footer = { "",
                        "Examples:", "  bascule reproduce enso", "  bascule reproduce nagare --quick",
                        "  bascule reproduce wave --quick", "  bascule reproduce fito --quick --json",
                        "  bascule reproduce ghost --quick" })
final class ReproduceCommand extends CommandBase {
    private static final String INPUTS = "Simulated: the same agents and transports as live, in virtual time. Micro-costs from a cost profile are the only "
            + "inputs; each is printed with its source, and nothing is fitted to the published results that stand "
            + "beside the predictions.";

    @Override
    public Integer call() {
        spec().commandLine().usage(out());
        return 0;
    }

    /** Experiments of Wave: micro-benchmarks, optimisation ladder, placement of the agent, virtual machines, memory. */
    @Command(name = "wave", mixinStandardHelpOptions = true, sortOptions = false, description = {
            "Predicts Wave's experiments: micro-benchmarks, optimisation ladder, placement of the agent, virtual machines, memory.",
            INPUTS,
            "Beside memory stands what its live form (tier) measures on this machine in seconds." }, footer = {
                    "", "Examples:", "  bascule reproduce wave --quick",
                    "  bascule reproduce wave --costs ./my-costs.yaml" })
    static final class Wave extends SimulatedReproduction {
        @Option(names = "--no-live", description = "measure nothing here")
        private boolean noLive;

        /** Memory has a live form, tier. */
        @Override
        List<Figure> live(Section section, Reproduction.Size size, Consumer<String> progress)
                throws InterruptedException {
            if (noLive || !section.id().equals("e")) {
                return List.of();
            }
            progress.accept("(" + section.id() + ") live, on this machine");
            return LiveWave.memory(size.quick(), size.seed());
        }

        @Override
        Reproduction run(CostProfile profile, Reproduction.Size size, Consumer<String> progress) {
            return Reproduction.wave(profile, size, progress);
        }
    }

    /** Predicts experiments E1 to E9: Wave's transactions against the bilateral swap under equal conditions. */
    @Command(name = "fito", mixinStandardHelpOptions = true, sortOptions = false, description = {
            "Predicts experiments E1 to E9: Wave's transactions against the bilateral swap under equal conditions.",
            INPUTS }, footer = { "", "Examples:", "  bascule reproduce fito --quick",
                    "  bascule reproduce fito --quick --json" })
    static final class Fito extends SimulatedReproduction {
        @Override
        Reproduction run(CostProfile profile, Reproduction.Size size, Consumer<String> progress) {
            return Reproduction.fito(profile, size, progress);
        }
    }

    /** ghOSt's and Shinjuku's microbenchmarks, and curves that an independent paper measured: one calibrated, the others predicted. */
    @Command(name = "ghost", mixinStandardHelpOptions = true, sortOptions = false, description = {
            "Sets the simulated host beside ghOSt's microbenchmarks and beside latency against load as an independent paper "
                    + "(Skyloft, SOSP'24) measured it.",
            "The costs of real threads (kernel entry, wake-up, switch, caches, interrupts, the agent's loop) are calibrated on "
                    + "one curve, ghOSt with 30 us; other quanta, mixes and systems are predicted by the same costs." }, footer = {
                            "", "Examples:", "  bascule reproduce ghost --quick", "  bascule reproduce ghost --json" })
    static final class Ghost extends SimulatedReproduction {
        @Override
        String usualCosts() {
            return "ghost-measured";
        }

        @Override
        Reproduction run(CostProfile profile, Reproduction.Size size, Consumer<String> progress) {
            return Reproduction.ghost(profile, size, progress);
        }
    }
}
