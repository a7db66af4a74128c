package dev.bascule.cli;

import dev.bascule.app.enso.SampleApps;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** One application on pipes or on packet queues. */
@Command(name = "app", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Runs an application on a stream of bytes (Ensō's pipes) or on packets (queues of descriptors), with the same "
                + "processing: echo, copy (echo by copying), l2-forward, maglev (load balancer of 1000 back ends), "
                + "telemetry (sketch of flow sizes), key-value (store), log-monitor (three patterns), capture.",
        "The cards are models in this process, and a station at the other end sends what the application needs. Each "
                + "interface runs on each card: pipes on a Corundum cost a copy, which is counted." }, footer = { "",
                        "Examples:", "  bascule app maglev --count 100000",
                        "  bascule app maglev --count 100000 --interface packet --card corundum",
                        "  bascule app capture -w out.pcap --count 1000 --json", "",
                        "Says how many frames were sent and lost, and where; the exit status is 1 if any was." })
final class AppCommand implements Callable<Integer> {
    private static final int FLOWS = 1024;
    private static final long RATE_WITHOUT_ANSWERS = 20_000;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "APP", description = "one of the applications above")
    private String app = "";

    @Option(names = "--interface", defaultValue = "pipe", paramLabel = "NAME", description = "pipe or packet; default ${DEFAULT-VALUE}")
    private String view = "pipe";

    @Option(names = "--card", defaultValue = "enso", paramLabel = "NAME", description = "enso or corundum; default ${DEFAULT-VALUE}")
    private String card = "enso";

    @Option(names = "--count", paramLabel = "N", description = "end after so many packets")
    private long count;

    @Option(names = "--duration", defaultValue = "0s", paramLabel = "TIME", description = "end after this time")
    private String duration = "0s";

    @Option(names = "--rate", paramLabel = "N", description = "packets per second; default: as many as come back, and 20,000 where none does")
    private long rate;

    @Option(names = { "-w",
            "--write" }, defaultValue = "/dev/null", paramLabel = "FILE", description = "capture: the pcap file; default ${DEFAULT-VALUE}")
    private Path file = Path.of("/dev/null");

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        String name = app.replace("l2-", "l2 ").replace("log-", "log ").toLowerCase(Locale.ROOT);
        if (!SampleApps.NAMES.contains(name)) {
            throw new Failure("no application is called '" + app + "'; there are "
                    + String.join(", ", SampleApps.NAMES).replace(' ', '-').replace(",-", ", "));
        }
        boolean silent = name.equals("capture") || name.equals("log monitor");
        long pace = rate == 0 && silent ? RATE_WITHOUT_ANSWERS : rate;
        TrafficWire station = new TrafficWire(SampleApps.frames(name, FLOWS), pace, count, null);
        try (AppRun run = AppRun.open(card, view, name, file, station)) {
            station.start();
            try (Running running = new Running(Durations.parseNanos(duration), run::check,
                    () -> "%,d packets".formatted(run.packets()))) {
                running.until(() -> count != 0 && (run.packets() >= count || station.isSilent()), run::round);
                double seconds = running.seconds();
                Delivery delivery = Delivery.afterAll(station, run::packets, run::losses, run::round)
                        .and(Delivery.byProgram(run.noRoom()));
                Summary summary = new Summary().put("application", name).put("interface", view)
                        .put("card", "simulated: a model of " + card + " in this process")
                        .put("sent to the port", delivery.sent());
                delivery.describe(summary).put("packets", run.packets()).put("sent back", station.returned())
                        .put("seconds", seconds).put("packets per second", run.packets() / seconds);
                run.describe(summary);
                summary.print(spec.commandLine().getOut(), json);
                return running.status(delivery.status());
            }
        }
    }
}
