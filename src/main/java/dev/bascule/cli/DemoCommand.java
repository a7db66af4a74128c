package dev.bascule.cli;

import picocli.CommandLine.Command;

/** Programs to be ruled; each is a subcommand. */
@Command(name = "demo", mixinStandardHelpOptions = true, description = {
        "Programs with threads of their own, to be ruled: run one under the kernel's own scheduler, then under 'bascule kernel'.",
        "They measure themselves, keep their figures (--save) and set them beside those of another run (--against)." }, subcommands = {
                DemoStore.class, DemoPlayer.class }, footer = { "", "Examples:",
                        "  taskset -c 0-1 bascule demo store --save own.txt",
                        "  bascule kernel --policy shinjuku-best-effort --policy-option class=1 --cpus 0-1 --class get=get-*"
                                + " --class range=range-* -- bascule demo store --against own.txt",
                        "  bascule demo player --duration 30s" })
final class DemoCommand extends CommandBase {
    @Override
    public Integer call() {
        spec().commandLine().usage(out());
        return 0;
    }
}
