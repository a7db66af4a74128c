package dev.bascule.cli;

import dev.bascule.host.lauberhorn.JavaService;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.nic.MacAddress;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.registry.Durations;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.run.Progress;
import dev.bascule.run.Running;
import dev.bascule.run.ServiceClasses;
import dev.bascule.run.SteeringServer;
import dev.bascule.run.Summary;
import dev.bascule.workload.lauberhorn.DemoService;
import dev.bascule.workload.lauberhorn.RpcBind;
import dev.bascule.workload.steering.StoreService;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves RPCs behind a card until it is told to stop. */
@Command(name = "serve", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Serves ONC RPC calls (RFC 5531, UDP) by Java services behind a card, until Ctrl-C. An agent decides over "
                + "--link which core serves a request, and when.",
        "Without --service and --rocksdb, demonstration services: work, add, echo and greet. A port mapper answers at port 111 of a TAP "
                + "interface or a card of its own, so that rpcinfo finds them." }, footer = { "", "Examples:",
                        "  bascule rpc serve --udp 7000",
                        "  bascule rpc serve --udp 7000 --link swap --steer hash --cores 4",
                        "  bascule rpc serve --wire tap:rpc0 --address 10.7.0.1 --link wave    # as root",
                        "  bascule rpc serve --device 0000:65:00.0 --address 10.7.0.1",
                        "  bascule rpc serve --udp 7000 --service my.SumsObject --service-path sums.jar",
                        "  bascule rpc serve --udp 7000 --rocksdb /tmp/store --steer class",
                        "  bascule rpc serve --udp 7000 --link wave --kill-agent 1s", "",
                        "A service of your own is a class with an interface that has @RpcProgram and @RpcProcedure." })
final class RpcServe extends CommandBase {
    private static final long LOOK_NANOS = 20_000_000;
    private static final int RING_ENTRIES = 1_024;

    @Mixin
    private RpcWire wire = new RpcWire();

    @Mixin
    private CardSetup setup = new CardSetup();

    @Option(names = "--link", defaultValue = "wave", paramLabel = "NAME", description = "how host and agent talk: on-host, wave or swap; default ${DEFAULT-VALUE}")
    private String link = "wave";

    @Mixin
    private SteeringOptions steering = new SteeringOptions();

    @Range("1..")
    @Option(names = "--services", defaultValue = "1", paramLabel = "N", description = "demonstration services; programs 0x20004c42 and up; default ${DEFAULT-VALUE}")
    private int services;

    @Option(names = "--service", paramLabel = "CLASS", description = "a service of your own; for several, repeat it")
    private List<String> classes = new ArrayList<>();

    @Option(names = "--service-path", split = ":", paramLabel = "JAR|DIR", description = "jars and folders of classes, with colons between them, that have them")
    private List<Path> servicePath = new ArrayList<>();

    @Option(names = "--rocksdb", paramLabel = "DIR", description = "serve a RocksDB in this folder, which is made if it is not there: get, put and range; program 0x20005244")
    private @Nullable Path store;

    @Range("0s..")
    @Option(names = "--duration", defaultValue = "0s", paramLabel = "TIME", description = "end after this time; default: with Ctrl-C")
    private String duration = "0s";

    @Option(names = "--json", description = "print one JSON document at the end")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        SteeringServer.Plan plan = steering.plan(link);
        if (store == null) {
            return serve(plan, services());
        }
        try (StoreService database = new StoreService(store)) {
            List<JavaService> served = services();
            served.add(database.service());
            return serve(plan, served);
        }
    }

    private int serve(SteeringServer.Plan plan, List<JavaService> served) throws IOException {
        if (!setup.card().isLoopback()) {
            if (wire.isGiven()) {
                throw new Misuse("--device and --udp or --wire: a card has a wire of its own; leave one out");
            }
            return serve(plan, served, List.of(), null);
        }
        RpcWire.Place place = wire.open();
        try (WireEnd open = place.wire()) {
            return serve(plan, served, List.of(open, WireEnd.OPEN), place);
        }
    }

    private List<JavaService> services() {
        List<JavaService> all = new ArrayList<>();
        for (int which = 0; classes.isEmpty() && store == null && which < services; which++) {
            all.add(DemoService.number(which));
        }
        classes.forEach(name -> all.addAll(ServiceClasses.load(name, servicePath)));
        return all;
    }

    private int serve(SteeringServer.Plan plan, List<JavaService> served, List<WireEnd> wires,
            RpcWire.@Nullable Place place) {
        Progress progress = new Progress(System.err);
        try (NicAdapter adapter = setup.open(wires)) {
            Nic port = adapter.openPort(0, NicOptions.DEFAULTS.withRingEntries(RING_ENTRIES));
            port.start();
            setup.link().await(List.of(port));
            NicAddress address = place != null ? place.address() : wire.address(mac(port));
            List<JavaService> all = new ArrayList<>(served);
            all.addAll(RpcBind.services(address.ipv4(),
                    (program, version) -> isServed(all, program) ? RpcWire.port(address) : 0));
            try (SteeringServer server = new SteeringServer(plan, port, address, all)) {
                progress.say((place != null ? place.words() : setup.card().label()) + "; " + plan.cores()
                        + " cores, steered by " + plan.policy() + " over " + plan.link());
                return run(server, adapter, wires);
            }
        }
    }

    private static boolean isServed(List<JavaService> served, int program) {
        return served.stream().anyMatch(service -> service.program() == program);
    }

    private static long mac(Nic port) {
        return port.macAddress().map(MacAddress::value)
                .orElseThrow(() -> new Failure("the card does not tell its Ethernet "
                        + "address, at which calls arrive; name one of another driver"));
    }

    private int run(SteeringServer server, NicAdapter adapter, List<WireEnd> wires) {
        long[] last = new long[1];
        Runnable check = () -> {
            setup.check(adapter);
            wires.forEach(WireEnd::check);
        };
        try (Running running = new Running(Durations.parseNanos(duration), check, () -> state(server, last))) {
            running.until(() -> server.failure() != null, () -> {
                LockSupport.parkNanos(LOOK_NANOS);
                return 0;
            });
            Summary summary = new Summary();
            server.describe(summary);
            summary.print(out(), json);
            Throwable failure = server.failure();
            if (failure != null) {
                throw new Failure("it does not go on: " + failure);
            }
            return running.status(0);
        }
    }

    private static String state(SteeringServer server, long[] last) {
        long answered = server.counters().get(Total.ANSWERED);
        String line = "answered %,d (%,d in two seconds), refused %,d".formatted(answered, answered - last[0],
                server.counters().get(Total.REFUSED));
        last[0] = answered;
        return line;
    }
}
