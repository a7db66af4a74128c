package dev.bascule.study.cli;

import dev.bascule.cli.CommandBase;
import dev.bascule.run.Progress;
import dev.bascule.config.CostProfile;
import dev.bascule.config.CostProfiles;
import dev.bascule.study.experiment.Figure;
import dev.bascule.study.experiment.GhostFit;
import dev.bascule.study.experiment.Reproduction;
import dev.bascule.study.experiment.Section;
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

    /** ghOSt's and Shinjuku's microbenchmarks, and curves that an independent paper measured: eleven rows calibrated, the others predicted. */
    @Command(name = "ghost", mixinStandardHelpOptions = true, sortOptions = false, description = {
            "Sets the simulated host beside ghOSt's microbenchmarks and beside latency against load as an independent paper "
                    + "(Skyloft, SOSP'24) measured it.",
            "The costs of real threads (the source's look, the agent's loop, messages, decisions, commits, interrupts, caches) are "
                    + "fitted to eleven rows of ghOSt with 30 us by 'calibrate ghost'; all else is predicted by them.",
            "Without --quick a run is as long as the measured one: ten minutes of CPU time a repeat." }, footer = {
                    "", "Examples:", "  bascule reproduce ghost --quick",
                    "  bascule reproduce ghost --repeat 1 --json" })
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

    /** Fits costs to published measurements; each kind is a subcommand. */
    @Command(name = "calibrate", mixinStandardHelpOptions = true, description = {
            "Fits the costs of the simulated host to published measurements, and prints the cost file." }, subcommands = {
                    ReproduceCommand.CalibrateGhost.class }, footer = { "", "Examples:",
                            "  bascule calibrate ghost --quick > my-costs.yaml" })
    static final class Calibrate extends CommandBase {
        @Override
        public Integer call() {
            spec().commandLine().usage(out());
            return 0;
        }
    }

    /** Costs of a real host under ghOSt, from the rows of an independent paper's curves that serve the fit. */
    @Command(name = "ghost", mixinStandardHelpOptions = true, sortOptions = false, description = {
            "Fits what time costs on a real host under ghOSt to eleven measured rows (Skyloft, SOSP'24) of two curves with different "
                    + "rates of decisions: those that are marked so among all measured rows, and no other.",
            "Each cost in turn is raised and lowered within its bounds, then all at once by random steps, then each by smaller "
                    + "ones: minutes. Prints the cost file; hw-configs/costs/ghost-measured.yaml was made so. 'reproduce ghost --costs FILE' shows what it predicts." }, footer = {
                            "", "Examples:", "  bascule calibrate ghost --quick > my-costs.yaml",
                            "  bascule calibrate ghost --seed 2 > my-costs.yaml" })
    static final class CalibrateGhost extends CommandBase {
        @Option(names = "--quick", description = "four of the rows and one step: some seconds, to try it out")
        private boolean quick;

        @Option(names = "--costs", defaultValue = CostProfiles.DEFAULT, paramLabel = "NAME", description = "costs to begin with, a file of hw-configs/costs/ or a path; default ${DEFAULT-VALUE}")
        private String costs = CostProfiles.DEFAULT;

        @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "arrivals and service times; default ${DEFAULT-VALUE}")
        private long seed = 1;

        @Override
        public Integer call() {
            Progress progress = new Progress(System.err);
            CostProfile fitted = GhostFit.run(CostProfiles.load(costs), quick, seed, progress::say);
            out().print(fitted.yaml());
            out().flush();
            return 0;
        }
    }
}
