package dev.bascule.cli;

import dev.bascule.host.TimeHistogram;
import dev.bascule.host.lauberhorn.DirectCalls;
import dev.bascule.host.lauberhorn.JavaService;
import dev.bascule.json.Json;
import dev.bascule.run.Errors;
import dev.bascule.run.Failure;
import dev.bascule.run.LoadResult;
import dev.bascule.run.Running;
import dev.bascule.run.SteeredRun;
import dev.bascule.run.SteeringServer;
import dev.bascule.run.Summary;
import dev.bascule.workload.lauberhorn.DemoService;
import dev.bascule.workload.lauberhorn.ManyChannels;
import dev.bascule.workload.lauberhorn.RpcChannel;
import dev.bascule.workload.lauberhorn.RpcLoad;
import dev.bascule.workload.lauberhorn.UdpClient;
import dev.bascule.workload.steering.PoolServer;
import dev.bascule.workload.steering.ThreadTimes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Services and load in one process, over each transport in turn, and a plain socket server beside them. */
@Command(name = "bench", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Runs demonstration services and a load on them in this process, over each --link in turn: through the driver and the "
                + "model of a Corundum card and a cable in memory. 'socket' is a UDP socket of this machine and a pool of "
                + "threads, to compare with.",
        "A quarter as many calls, up to 20,000, go before over each and are not counted: code is compiled meanwhile.",
        "CPU time is by the scheduler's account: that of the cores that run handlers (with socket: of the pool, kernel and all), "
                + "of the front, which takes frames apart, and of the agent. With on-host all of it is the host's; with wave and "
                + "swap, front and agent stand for cores of a NIC, and the host's is that of the handlers' cores." }, footer = {
                        "", "Examples:",
                        "  bascule rpc bench --quick", "  bascule rpc bench --count 1000000 --json",
                        "  bascule rpc bench --link wave,swap --kill-agent 1s --count 1000000",
                        "  bascule rpc bench --steer hash --work 20us --cores 4", "",
                        "Exit status 1: a call has no reply, or has two, or another one's." })
final class RpcBench extends CommandBase {
    private static final String SOCKET = "socket";
    private static final long COUNT = 200_000;
    private static final long QUICK = 20_000;
    private static final long MOST_WARM_UP = 20_000;

    @Option(names = "--link", split = ",", defaultValue = "on-host,wave,swap,socket", paramLabel = "NAME", description = "transports, in this order, and socket; default ${DEFAULT-VALUE}")
    private List<String> links = List.of();

    @Range("1..")
    @Option(names = "--count", paramLabel = "N", description = "calls over each; default " + COUNT + ", with --quick "
            + QUICK)
    private @Nullable Long count;

    @Option(names = "--quick", description = "fewer calls")
    private boolean quick;

    @Mixin
    private SteeringOptions steering = new SteeringOptions();

    @Mixin
    private CallOptions calls = new CallOptions();

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    /** Result of the calls over one link. */
    private record Result(String link, RpcLoad load, Summary summary) {}

    @Override
    public Integer call() throws IOException {
        for (String link : links) {
            if (!link.equals(SOCKET)) {
                steering.plan(link); // what is wrong is said before anything runs
            }
        }
        List<Result> results = new ArrayList<>();
        RpcLoad[] current = new RpcLoad[1];
        try (Running running = new Running(0, () -> {}, () -> state(current[0]))) {
            for (String link : links) {
                TimeHistogram latency = TimeHistogram.single();
                RpcLoad load = new RpcLoad(calls.plan(count()), latency::record);
                current[0] = load;
                Summary summary = new Summary().put("link", link);
                running.watch(over -> results.add(one(link, load, latency, summary, over)));
                if (running.isInterrupted()) {
                    break;
                }
            }
            print(results);
            return running.status(results.stream().allMatch(one -> one.load.isClean() && one.load.lost() == 0)
                    ? 0
                    : Errors.FAILED);
        }
    }

    private Result one(String link, RpcLoad load, TimeHistogram latency, Summary summary, BooleanSupplier over) {
        try {
            if (link.equals(SOCKET)) {
                socket(load, latency, summary, over);
            } else {
                steered(steering.plan(link), load, latency, summary, over);
            }
        } catch (IOException e) {
            throw new Failure("open a UDP socket: " + e.getMessage());
        }
        return new Result(link, load, summary);
    }

    private List<JavaService> services() {
        return IntStream.range(0, calls.services()).mapToObj(DemoService::number).toList();
    }

    private void steered(SteeringServer.Plan plan, RpcLoad load, TimeHistogram latency, Summary summary,
            BooleanSupplier over) {
        SteeredRun.Use use = SteeredRun.play(plan, services(), warmUp(), load, over);
        LoadResult.describe(load, latency, summary);
        summary.put("lost in the card", load.lost()).put("unaccounted for", load.unaccounted());
        describe(use, load, summary);
        summary.put("policy", plan.policy().toString()).put("decided by the host itself", use.alone())
                .put("agents killed", use.kills()).put("agents replaced", use.fences());
    }

    private long count() {
        return count != null ? count : quick ? QUICK : COUNT;
    }

    private RpcLoad warmUp() {
        return new RpcLoad(calls.plan(Math.clamp(count() / 4, 1, MOST_WARM_UP)), nanos -> {});
    }

    private void socket(RpcLoad load, TimeHistogram latency, Summary summary, BooleanSupplier over)
            throws IOException {
        try (PoolServer server = new PoolServer(new DirectCalls(services()), steering.cores());
                RpcChannel clients = new ManyChannels(IntStream.range(0, SteeredRun.CLIENTS)
                        .mapToObj(i -> client(server, load)).toList())) {
            RpcLoad early = warmUp();
            try (RpcChannel first = new ManyChannels(IntStream.range(0, SteeredRun.CLIENTS)
                    .mapToObj(i -> client(server, early)).toList())) {
                early.over(first).run(over, SteeredRun.PATIENCE_NANOS);
            }
            long before = ThreadTimes.nanos(PoolServer.THREADS);
            load.over(clients).run(over, SteeredRun.PATIENCE_NANOS);
            LoadResult.describe(load, latency, summary);
            describe(new SteeredRun.Use(SOCKET, new long[] { ThreadTimes.nanos(PoolServer.THREADS) - before, 0, 0 }, 0,
                    0,
                    0), load, summary);
        }
    }

    private static UdpClient client(PoolServer server, RpcLoad load) {
        try {
            return new UdpClient(new InetSocketAddress("127.0.0.1", server.port()), load::reply);
        } catch (IOException e) {
            throw new Failure("ask for the server's port: " + e.getMessage());
        }
    }

    private static void describe(SteeredRun.Use use, RpcLoad load, Summary summary) {
        double answered = Math.max(1, load.account().answered());
        summary.put("CPU us/request, handlers' cores", use.cpu()[0] / 1e3 / answered)
                .put("CPU us/request, front", use.cpu()[1] / 1e3 / answered)
                .put("CPU us/request, agent", use.cpu()[2] / 1e3 / answered)
                .put("CPU us/request, host", use.host() / 1e3 / answered)
                .put("cores that front and agent took", use.steering() / (double) load.nanos());
    }

    private static String state(RpcLoad load) {
        return load == null
                ? ""
                : "sent %,d, answered %,d, refused %,d".formatted(load.account().sent(), load.account().answered(),
                        load.account().refused());
    }

    private void print(List<Result> results) {
        if (json) {
            Json.Obj document = Json.object();
            results.forEach(one -> document.put(Json.key(one.link), one.summary.into(Json.object())));
            out().print(document.pretty());
        } else {
            for (Result one : results) {
                one.summary.print(out(), false);
                out().println();
            }
        }
        out().flush();
    }
}
