package dev.bascule.cli;

import dev.bascule.host.TimeHistogram;
import dev.bascule.host.lauberhorn.LauberhornHost;
import dev.bascule.model.Cables;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.run.Errors;
import dev.bascule.run.LoadResult;
import dev.bascule.run.Running;
import dev.bascule.run.Summary;
import dev.bascule.workload.lauberhorn.DemoService;
import dev.bascule.workload.lauberhorn.RpcLoad;
import dev.bascule.workload.lauberhorn.WireClient;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Services and load in one process. */
@Command(name = "bench", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Runs demonstration services and a load on them in this process, over a cable in memory: everything but the network.",
        "Each call's latency is from the time that it was due to its reply at the client." }, footer = { "",
                "Examples:",
                "  bascule lauberhorn bench", "  bascule lauberhorn bench --services 100 --cores 8 --rate 50000",
                "  bascule lauberhorn bench --policy fifo --work 20us --json",
                "  bascule lauberhorn bench --cores 4 --least-cores 1 --services 8 --work 50us",
                "  bascule lauberhorn bench --interconnect eci --line 128",
                "  bascule lauberhorn bench --cores 1 --pin 0,1", "",
                "Exit status 1: a call has no reply, two, or another one's." })
final class LauberhornBench extends CommandBase {
    private static final long PATIENCE_NANOS = 10_000_000_000L;
    private static final long MAC = 0x0200_4c42_0001L;
    private static final int IPV4 = 0x0a07_0001;

    @Mixin
    private LauberhornMachine machine = new LauberhornMachine();

    @Range("1..")
    @Option(names = "--count", defaultValue = "200000", paramLabel = "N", description = "calls; default ${DEFAULT-VALUE}")
    private long count;

    @Mixin
    private CallOptions calls = new CallOptions();

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() {
        TimeHistogram latency = TimeHistogram.single();
        int services = calls.services();
        RpcLoad load = new RpcLoad(calls.plan(count), latency::record);
        List<WireEnd> cable = Cables.cross();
        try (WireEnd near = cable.get(0);
                WireEnd far = cable.get(1);
                LauberhornHost host = LauberhornHost.start(machine.config(services), NicAddress.of(MAC, IPV4), near,
                        machine.options());
                Running running = new Running(0, () -> {}, () -> "sent %,d of %,d".formatted(load.account().sent(),
                        count))) {
            for (int which = 0; which < services; which++) {
                host.startProcess("demo " + which, DemoService.number(which));
            }
            WireClient client = new WireClient(far, WireClient.flow(MAC + 1, IPV4 + 1, 5000, MAC, IPV4, 700),
                    load::reply);
            running.watch(over -> load.over(client).run(over, PATIENCE_NANOS));
            Summary summary = new Summary().put("services", services).put("cores", machine.cores())
                    .put("least cores", machine.leastCores())
                    .put("policy", machine.policy()).put("injected latency", machine.injection());
            LoadResult.describe(load, latency, summary);
            Summary nic = new Summary();
            LauberhornMachine.describe(host, nic);
            print(summary, nic);
            return running.status(load.account().isClean() && host.failure() == null ? 0 : Errors.FAILED);
        }
    }

    private void print(Summary load, Summary nic) {
        if (json) {
            out().print(load.into(dev.bascule.json.Json.object())
                    .put("nic", nic.into(dev.bascule.json.Json.object())).pretty());
            out().flush();
        } else {
            load.print(out(), false);
            out().println("The NIC:");
            nic.print(out(), false);
        }
    }
}
