package dev.bascule.cli;

import dev.bascule.host.TimeHistogram;
import dev.bascule.model.wire.CrossCable;
import dev.bascule.registry.Durations;
import dev.bascule.run.Errors;
import dev.bascule.run.LoadResult;
import dev.bascule.run.Misuse;
import dev.bascule.run.Running;
import dev.bascule.run.Summary;
import dev.bascule.workload.lauberhorn.RpcChannel;
import dev.bascule.workload.lauberhorn.RpcLoad;
import dev.bascule.workload.lauberhorn.UdpClient;
import dev.bascule.workload.lauberhorn.WireClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Calls the demonstration services, and says what became of each call. */
@Command(name = "load", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Calls the demonstration services of 'bascule lauberhorn serve' and accounts for each call: answered, refused or "
                + "without reply, and never twice. No call is repeated." }, footer = { "", "Examples:",
                        "  bascule lauberhorn load 127.0.0.1:7000 --count 100000",
                        "  bascule lauberhorn load 127.0.0.1:7000 --rate 20000 --duration 10s --work 5us",
                        "  bascule lauberhorn load cross:/tmp/cable --services 4 --under-way 16", "",
                        "Exit status 1: a call has no reply, two, or another one's." })
final class LauberhornLoad extends CommandBase {
    private static final long PATIENCE_NANOS = 3_000_000_000L;

    @Parameters(index = "0", paramLabel = "HOST:PORT", description = "UDP address of the server, or cross:SOCKET, a cable to it")
    private String server = "";

    @Range("0..")
    @Option(names = "--count", paramLabel = "N", description = "calls; default: as many as --duration allows")
    private long count;

    @Range("0s..")
    @Option(names = "--duration", defaultValue = "0s", paramLabel = "TIME", description = "end after this time; default: 5s without --count")
    private String duration = "0s";

    @Option(names = "--address", defaultValue = "10.7.0.1", paramLabel = "IP", description = "with cross: the NIC's address; default ${DEFAULT-VALUE}")
    private String address = "10.7.0.1";

    @Mixin
    private CallOptions calls = new CallOptions();

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        TimeHistogram latency = TimeHistogram.single();
        RpcLoad load = new RpcLoad(calls.plan(count), latency::record);
        long limit = Durations.parseNanos(duration.equals("0s") && count == 0 ? "5s" : duration);
        try (RpcChannel channel = channel(load);
                Running running = new Running(limit, () -> {}, () -> state(load))) {
            running.watch(over -> load.over(channel).run(over, PATIENCE_NANOS));
            Summary summary = new Summary();
            LoadResult.describe(load, latency, summary);
            summary.print(out(), json);
            return running.status(load.account().isClean() ? 0 : Errors.FAILED);
        }
    }

    private RpcChannel channel(RpcLoad load) throws IOException {
        if (server.startsWith("cross:")) {
            return new WireClient(CrossCable.plug(Path.of(server.substring(6))), WireClient.flow(0x0200_4c42_0002L,
                    RpcWire.ipv4(address) + 1, 5000, 0x0200_4c42_0001L, RpcWire.ipv4(address), 700),
                    load::reply);
        }
        int colon = server.lastIndexOf(':');
        try {
            return new UdpClient(new InetSocketAddress(server.substring(0, colon),
                    Integer.parseInt(server.substring(colon + 1))), load::reply);
        } catch (RuntimeException e) {
            throw new Misuse("'" + server + "' is no server: HOST:PORT, as 127.0.0.1:7000, or cross:SOCKET");
        }
    }

    private static String state(RpcLoad load) {
        return "sent %,d, answered %,d, refused %,d".formatted(load.account().sent(), load.account().answered(),
                load.account().refused());
    }
}
