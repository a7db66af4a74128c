package dev.bascule.cli;

import picocli.CommandLine.Command;

/** RPC services behind a NIC that is part of the operating system; each thing to do is a subcommand. */
@Command(name = "lauberhorn", mixinStandardHelpOptions = true, description = {
        "RPC services in Java behind a model of Lauberhorn's NIC (arXiv:2501.10138): the NIC decodes a call, knows which "
                + "core runs or waits for which process, and answers the load of a cache line with the procedure to jump to.",
        "The NIC is software: a load that it holds back is a core that looks at a line in its own cache." }, subcommands = {
                LauberhornServe.class, LauberhornLoad.class, LauberhornBench.class,
                LauberhornProcess.class }, footer = { "", "Examples:",
                        "  bascule lauberhorn bench --services 100 --cores 8",
                        "  bascule lauberhorn serve --udp 7000 &",
                        "  bascule lauberhorn load 127.0.0.1:7000 --rate 1000 --duration 5s",
                        "  rpcinfo -a 127.0.0.1.27.88 -T udp 536890434 1" })
final class LauberhornCommand extends CommandBase {
    @Override
    public Integer call() {
        spec().commandLine().usage(out());
        return 0;
    }
}
