package dev.bascule.cli;

import dev.bascule.app.L2Forward;
import dev.bascule.json.Json;
import dev.bascule.model.Losses;
import dev.bascule.nic.NicCapabilities;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.dpdk.DpdkEal;
import dev.bascule.nic.dpdk.DpdkNic;
import dev.bascule.nic.dpdk.DpdkOptions;
import dev.bascule.registry.Durations;
import dev.bascule.report.Table;
import dev.bascule.run.Delivery;
import dev.bascule.run.DeviceName;
import dev.bascule.run.Lanes;
import dev.bascule.run.Running;
import dev.bascule.run.Summary;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** DPDK's ports behind the packet API. */
@Command(name = "dpdk", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Starts DPDK (22.11 or newer, installed separately) in this process and lists its ports; with --forward sends "
                + "what comes in at one port back out, stations swapped, and prints the counters. Other "
                + "commands take DPDK's "
                + "ports as cards: --device dpdk:PORT[,PORT]." }, footer = { "",
                        "Examples:",
                        "  bascule dpdk --eal '--no-huge -m 128 --no-pci --vdev=net_ring0 --vdev=net_null0'",
                        "  bascule dpdk --eal '--no-huge -m 128 --no-pci --vdev=net_null0' --forward net_null0 --duration 2s",
                        "  sudo bascule dpdk --allow 0000:65:00.0 --forward 0000:65:00.0 --queues 4 --duration 1m",
                        "  sudo bascule fwd --device dpdk:0000:65:00.0,0000:65:00.1 --queues 4",
                        "", "Says how many frames were lost, and where; the exit status is 1 if any was." })
final class DpdkCommand extends CommandBase {
    @Option(names = "--eal", paramLabel = "ARGS", defaultValue = "", description = "DPDK's own arguments, as one word")
    private String eal = "";

    @Option(names = "--allow", paramLabel = "ADDRESS", description = "a card that DPDK may use, by PCI address, bound to vfio-pci (bascule bind); repeat it; default: as --eal says, or any")
    private List<String> allowed = List.of();

    @Mixin
    private QueueOptions queues = new QueueOptions();

    @Mixin
    private LinkWait link = new LinkWait();

    @Option(names = "--forward", paramLabel = "PORT", description = "forward on this port")
    private @Nullable String forward;

    @Range("0s..")
    @Option(names = "--duration", defaultValue = "1s", paramLabel = "TIME", description = "how long to forward; default ${DEFAULT-VALUE}")
    private String duration = "1s";

    @Range("1..65535")
    @Option(names = "--burst", defaultValue = "32", paramLabel = "N", description = "most packets at a time; default ${DEFAULT-VALUE}")
    private int burst = 32;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() {
        List<String> arguments = new ArrayList<>(eal.isBlank() ? List.of() : List.of(eal.strip().split("\\s+")));
        allowed.forEach(address -> arguments.addAll(List.of("-a", DeviceName.address(address).toString())));
        long durationNanos = Durations.parseNanos(duration);
        try (DpdkEal dpdk = DpdkEal.start(arguments)) {
            PrintWriter out = out();
            if (forward != null) {
                return forward(dpdk, forward, durationNanos, out);
            } else {
                list(dpdk, out);
            }
            out.flush();
        }
        return 0;
    }

    private int forward(DpdkEal dpdk, String port, long durationNanos, PrintWriter out) {
        dpdk.registerThread();
        try (DpdkNic nic = dpdk.open(port, DpdkOptions.DEFAULT.withQueues(queues.count()))) {
            nic.start();
            link.await(List.of(nic));
            List<ProcessorLoop> loops = IntStream.range(0, queues.count()).mapToObj(
                    queue -> new ProcessorLoop(nic.rxQueue(queue), nic.txQueue(queue), new L2Forward(), burst))
                    .toList();
            try (Lanes lanes = new Lanes(loops.stream().map(one -> new Lanes.Lane(one::run, one::processed)).toList(),
                    queues.cores(nic.numaNode()));
                    Running running = new Running(durationNanos, nic::check,
                            () -> "forwarded %,d".formatted(lanes.packets()))) {
                lanes.start();
                running.until(() -> false, lanes::run);
                double seconds = running.seconds();
                lanes.close();
                long noRoom = loops.stream().mapToLong(ProcessorLoop::noRoom).sum();
                Summary summary = new Summary().put("dpdk", dpdk.version()).put("port", port)
                        .put("packets", lanes.packets()).put("seconds", seconds)
                        .put("packets per second", lanes.packets() / seconds).put("no room", noRoom);
                Map<String, Long> statistics = nic.statistics();
                Losses losses = Delivery.byPorts(List.of(nic), false).plus(Delivery.byLoops(loops))
                        .plus(Delivery.unsent(List.of(nic)));
                Delivery.describe(summary, losses.total(), losses);
                for (Map.Entry<String, Long> counter : statistics.entrySet()) {
                    if (counter.getKey().startsWith("device_") && !counter.getKey().startsWith("device_x_")) {
                        summary.put(counter.getKey().replace('_', ' '), counter.getValue());
                    }
                }
                queues.describe(summary, lanes, seconds, List.of(statistics));
                summary.print(out, json);
                return running.status(Delivery.status(losses));
            }
        }
    }

    private void list(DpdkEal dpdk, PrintWriter out) {
        Json.Arr ports = Json.array();
        Table table = new Table(1, "port", "RX queues", "TX queues", "longest frame", "RSS", "link");
        for (String port : dpdk.ports()) {
            try (DpdkNic nic = dpdk.open(port, DpdkOptions.DEFAULT)) {
                NicCapabilities can = nic.capabilities();
                boolean up = nic.link().up();
                table.row(port, Integer.toString(can.maxRxQueues()), Integer.toString(can.maxTxQueues()),
                        Integer.toString(can.maxFrameBytes()), can.receiveSideScaling() ? "yes" : "no",
                        up ? "up" : "down");
                ports.add(Json.object().put("port", port).put("rxQueues", can.maxRxQueues())
                        .put("txQueues", can.maxTxQueues()).put("maxFrameBytes", can.maxFrameBytes())
                        .put("receiveSideScaling", can.receiveSideScaling()).put("linkUp", up));
            }
        }
        out.print(json
                ? Json.object().put("dpdk", dpdk.version()).put("ports", ports).pretty()
                : dpdk.version() + "\n" + table.render());
    }
}
