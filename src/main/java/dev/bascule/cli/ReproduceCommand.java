package dev.bascule.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Published results, counted or simulated anew; each is a subcommand. */
@Command(name = "reproduce", mixinStandardHelpOptions = true, description = {
        "Counts or simulates anew what papers report, beside their published figures." }, subcommands = {
                ReproduceEnsoCommand.class, ReproduceWaveCommand.class, ReproduceFitoCommand.class }, footer = { "",
                        "Examples:", "  bascule reproduce enso",
                        "  bascule reproduce wave --quick", "  bascule reproduce fito --quick --json" })
final class ReproduceCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
