package dev.bascule.cli;

import picocli.CommandLine.Command;

/** RPC steering by an agent; each thing to do is a subcommand. */
@Command(name = "rpc", mixinStandardHelpOptions = true, description = {
        "RPC services in Java behind an ordinary card: an agent decides, over Wave's queues, by the bilateral swap or on the "
                + "host, which core serves a request and when; handlers run on the cores of a live host.",
        "Wave's second offload (ASPLOS'25). For a NIC that dispatches by itself: bascule lauberhorn." }, subcommands = {
                RpcServe.class, RpcCalls.class, RpcBench.class }, footer = { "", "Examples:",
                        "  bascule rpc bench --quick",
                        "  bascule rpc serve --udp 7000 --link swap &",
                        "  bascule rpc load 127.0.0.1:7000 --rate 1000 --duration 5s",
                        "  rpcinfo -a 127.0.0.1.27.88 -T udp 536890434 1" })
final class RpcCommand extends CommandBase {
    @Override
    public Integer call() {
        spec().commandLine().usage(out());
        return 0;
    }
}
