package dev.bascule.cli;

import dev.bascule.host.TimeHistogram;
import dev.bascule.registry.Durations;
import dev.bascule.rpc.OncRpc;
import dev.bascule.run.Errors;
import dev.bascule.run.LoadResult;
import dev.bascule.run.Misuse;
import dev.bascule.run.Running;
import dev.bascule.run.Summary;
import dev.bascule.workload.lauberhorn.LossyWire;
import dev.bascule.workload.lauberhorn.ManyChannels;
import dev.bascule.workload.lauberhorn.RpcLoad;
import dev.bascule.workload.lauberhorn.UdpClient;
import dev.bascule.workload.lauberhorn.WireClient;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Calls demonstration services from several sockets, and says what became of each call. */
@Command(name = "load", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Calls the demonstration services of 'bascule rpc serve' and accounts for each call: answered, refused (with the "
                + "reason), lost by --loss, or without reply; never twice. No call is repeated.",
        "Latency is from the time that a call was due, whenever it was sent." }, footer = { "", "Examples:",
                "  bascule rpc load 127.0.0.1:7000 --count 100000",
                "  bascule rpc load 10.7.0.1:700 --rate 20000 --duration 10s --work 5us --clients 8",
                "  bascule rpc load 127.0.0.1:7000 --count 100000 --loss 0.01", "",
                "Exit status 1: a call that was not lost by --loss has no reply, or one has two, or another one's." })
final class RpcCalls extends CommandBase {
    private static final long PATIENCE_NANOS = 3_000_000_000L;
    private static final List<String> STATUS = List.of("success", "program-unavailable", "program-mismatch",
            "procedure-unavailable", "garbage-arguments", "system-error");

    @Parameters(index = "0", paramLabel = "HOST:PORT", description = "UDP address of the server")
    private String server = "";

    @Range("0..")
    @Option(names = "--count", paramLabel = "N", description = "calls; default: as many as --duration allows")
    private long count;

    @Range("0s..")
    @Option(names = "--duration", defaultValue = "0s", paramLabel = "TIME", description = "end after this time; default: 5s without --count")
    private String duration = "0s";

    @Range("1..256")
    @Option(names = "--clients", defaultValue = "4", paramLabel = "N", description = "sockets that call in turn, so many flows; default ${DEFAULT-VALUE}")
    private int clients;

    @Range("0..1")
    @Option(names = "--loss", defaultValue = "0", paramLabel = "PART", description = "part of the calls, and of the replies, that are lost on the way, 0 to 1; default ${DEFAULT-VALUE}")
    private double loss;

    @Mixin
    private CallOptions calls = new CallOptions();

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() {
        TimeHistogram latency = TimeHistogram.single();
        RpcLoad load = new RpcLoad(calls.plan(count), latency::record);
        long limit = Durations.parseNanos(duration.equals("0s") && count == 0 ? "5s" : duration);
        try (LossyWire wire = wire(load);
                Running running = new Running(limit, () -> {}, () -> state(load))) {
            running.watch(over -> load.over(wire).run(over, PATIENCE_NANOS));
            Summary summary = new Summary();
            LoadResult.describe(load, latency, summary);
            summary.put("lost by --loss", load.lost()).put("unaccounted for", load.unaccounted())
                    .put("refused because", reasons(load));
            summary.print(out(), json);
            return running.status(load.isClean() ? 0 : Errors.FAILED);
        }
    }

    private LossyWire wire(RpcLoad load) {
        LossyWire wire = new LossyWire(loss, calls.seed(), load::reply);
        InetSocketAddress address = address();
        return wire.over(new ManyChannels(
                IntStream.range(0, clients).mapToObj(i -> new UdpClient(address, (WireClient.Replies) wire)).toList()));
    }

    private InetSocketAddress address() {
        int colon = server.lastIndexOf(':');
        try {
            return new InetSocketAddress(server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
        } catch (RuntimeException e) {
            throw new Misuse("'" + server + "' is no server: HOST:PORT, as 127.0.0.1:7000");
        }
    }

    private static String reasons(RpcLoad load) {
        String words = IntStream.rangeClosed(OncRpc.PROG_UNAVAIL, OncRpc.SYSTEM_ERR)
                .filter(status -> load.replies(status) > 0)
                .mapToObj(status -> STATUS.get(status) + " " + load.replies(status)).collect(Collectors.joining(", "));
        return words.isEmpty() ? "-" : words;
    }

    private static String state(RpcLoad load) {
        return "sent %,d, answered %,d, refused %,d".formatted(load.account().sent(), load.account().answered(),
                load.account().refused());
    }
}
