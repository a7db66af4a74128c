package dev.bascule.cli;

import dev.bascule.app.CaptureFrames;
import dev.bascule.app.LogMonitor;
import dev.bascule.app.PatternSet;
import dev.bascule.app.enso.SampleApps;
import dev.bascule.ffi.NearestWord;
import dev.bascule.model.Losses;
import dev.bascule.nic.PacketProcessor;
import dev.bascule.registry.Durations;
import dev.bascule.run.Delivery;
import dev.bascule.run.Drain;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.run.Running;
import dev.bascule.run.Summary;
import dev.bascule.run.TrafficWire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** One application on pipes or on packet queues. */
@Command(name = "app", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Runs an application on a stream of bytes (Ensō's pipes) or on packets (queues of descriptors), with the same "
                + "processing: echo, copy (echo by copying), l2-forward, maglev (load balancer of 1000 back ends), "
                + "telemetry (sketch of flow sizes), key-value (store), log-monitor (three patterns), capture.",
        "The card is a model in this process, and a station at the other end sends what the application needs; or, with "
                + "--device, a served or a real one, whose frames come from outside. Each interface runs on each card: "
                + "pipes on a card of packet queues cost a copy, which is counted." }, footer = { "",
                        "Examples:", "  bascule app maglev --count 100000",
                        "  bascule app maglev --count 100000 --interface packet --card corundum",
                        "  bascule app capture -w out.pcap --count 1000 --json",
                        "  bascule app log-monitor --pcap logs.pcap --patterns filters.txt",
                        "  sudo bascule app maglev --device 0000:65:00.0 --duration 1m", "",
                        "Says how many frames were sent and lost, and where, what the application found, and why it ended; the exit status is 1 if any was lost." })
final class AppCommand extends CommandBase {
    private static final int FLOWS = 1024;
    private static final int LONGEST = 1518;
    private static final long RATE_WITHOUT_ANSWERS = 20_000;

    @Parameters(paramLabel = "APP", description = "one of the applications above")
    private String app = "";

    @OneOf({ "pipe", "packet" })
    @Option(names = "--interface", defaultValue = "pipe", paramLabel = "NAME", description = "pipe or packet; default ${DEFAULT-VALUE}")
    private String view = "pipe";

    @OneOf({ "enso", "corundum" })
    @Option(names = "--card", defaultValue = "enso", paramLabel = "NAME", description = "which model in this process: enso or corundum; default ${DEFAULT-VALUE}")
    private String card = "enso";

    @Mixin
    private CardSetup setup = new CardSetup();

    @Mixin
    private PortOption port = new PortOption();

    @Range("0..")
    @Option(names = "--count", paramLabel = "N", description = "end after so many packets")
    private long count;

    @Range("0s..")
    @Option(names = "--duration", defaultValue = "0s", paramLabel = "TIME", description = "end after this time")
    private String duration = "0s";

    @Range("0..")
    @Option(names = "--rate", paramLabel = "N", description = "packets per second; default: as many as come back, and 20,000 where none does")
    private long rate;

    @Option(names = { "-w",
            "--write" }, defaultValue = "/dev/null", paramLabel = "FILE", description = "capture: the file, - for standard output; default ${DEFAULT-VALUE}")
    private Path file = Path.of("/dev/null");

    @Option(names = "--pcap", paramLabel = "FILE", description = "send the frames of a pcap or pcapng file, once unless --count or --duration says otherwise")
    private @Nullable Path pcap;

    @Option(names = "--patterns", paramLabel = "FILE", description = "log-monitor: regular expressions, one a line, at most 64; default: three")
    private @Nullable Path patterns;

    @Option(names = "--loose", description = "with --patterns: take look-aheads and choices by a group for met, which may find more")
    private boolean loose;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    private Losses leftOut = Losses.NONE;

    @Override
    public Integer call() throws Exception {
        String name = app.replace("l2-", "l2 ").replace("log-", "log ").toLowerCase(Locale.ROOT);
        if (!SampleApps.NAMES.contains(name)) {
            throw new Misuse(NearestWord.none("application", app,
                    SampleApps.NAMES.stream().map(one -> one.replace(' ', '-')).toList()));
        }
        boolean silent = name.equals("capture") || name.equals("log monitor");
        long pace = rate == 0 && silent ? RATE_WITHOUT_ANSWERS : rate;
        List<byte[]> frames = frames(name);
        long wanted = count == 0 && pcap != null && Durations.parseNanos(duration) == 0 ? frames.size() : count;
        List<String> searched = patterns == null ? SampleApps.PATTERNS : patterns(patterns);
        PacketProcessor processor = processor(name, searched);
        TrafficWire asked = new TrafficWire(frames.toArray(byte[][]::new), pace, wanted, null);
        TrafficWire station = rate == 0 ? asked.patient() : asked;
        if (!setup.card().isLoopback()) {
            return onDevice(name, processor, new AppResults(searched, frames));
        }
        setup.requireNoTelemetry("the card in this process is for the application alone; name one with --device");
        try (AppRun run = AppRun.open(card, view, processor, station)) {
            station.start();
            try (Running running = new Running(Durations.parseNanos(duration), run::check,
                    () -> "%,d packets".formatted(run.packets()))) {
                running.until(() -> wanted != 0 && (run.packets() >= wanted || station.isSilent()), run::round);
                double seconds = running.seconds();
                String end = end(running.isInterrupted(), wanted, run.packets(), station);
                Delivery delivery = Delivery
                        .afterAll(station, run::packets, () -> run.losses().plus(run.misfits()), run::round)
                        .and(Delivery.byProgram(run.noRoom())).and(backOf(run, station));
                Summary summary = new Summary().put("application", name).put("interface", view)
                        .put("card", "simulated: a model of " + card + " in this process")
                        .put("sent to the port", delivery.sent());
                if (pcap != null) {
                    summary.put("frames left out", leftOut.total()).put("left out why", leftOut);
                }
                delivery.describe(summary).put("packets", run.packets()).put("sent back", station.returned())
                        .put("seconds", seconds).put("packets per second", run.packets() / seconds);
                run.describe(summary);
                new AppResults(searched, frames).describe(processor, summary);
                summary.put("ended", end).print(beside(file), json);
                return running.status(delivery.status());
            }
        }
    }

    /** Of what was sent back, what did not come to the station. */
    private static Losses backOf(AppRun run, TrafficWire station) {
        new Drain(System::nanoTime).until(() -> run.packets() - run.staying(), station::returned, run::round);
        return Losses.NONE.plus("port", "sent back, not at the wire",
                Math.max(0, run.packets() - run.staying() - station.returned()));
    }

    /** Frames come from outside: what the application found, and what it could not send. */
    private int onDevice(String name, PacketProcessor processor, AppResults results) throws Exception {
        if (pcap != null) {
            throw new Misuse(
                    "--pcap is sent by the model in this process; to a card named by --device frames come from"
                            + " its other end (bascule pktgen --pcap)");
        }
        try (AppRun run = AppRun.open(setup, port, view, processor);
                Running running = new Running(Durations.parseNanos(duration), run::check,
                        () -> "%,d packets".formatted(run.packets()))) {
            running.until(() -> count != 0 && run.packets() >= count, run::round);
            double seconds = running.seconds();
            Delivery delivery = Delivery.ofProgram(run.packets(), Delivery.byProgram(run.noRoom()).plus(run.misfits()));
            Summary summary = new Summary().put("application", name).put("interface", view)
                    .put("card", setup.card().label());
            delivery.describe(summary).put("packets", run.packets()).put("seconds", seconds)
                    .put("packets per second", run.packets() / seconds);
            run.describe(summary);
            results.describe(processor, summary);
            summary.put("ended", running.isInterrupted()
                    ? "interrupted"
                    : count != 0 && run.packets() >= count ? "all " + count + " packets came" : "the time was over")
                    .print(beside(file), json);
            return running.status(delivery.status());
        }
    }

    private static String end(boolean interrupted, long wanted, long packets, TrafficWire station) {
        if (interrupted) {
            return "interrupted";
        }
        if (wanted != 0 && packets >= wanted) {
            return "all " + wanted + " packets came";
        }
        return wanted != 0 && station.isSilent()
                ? "early: all " + wanted + " were sent and " + packets + " came, then none for some time"
                : "the time was over";
    }

    private List<byte[]> frames(String name) throws IOException {
        Path from = pcap;
        if (from == null) {
            return List.of(SampleApps.frames(name, FLOWS));
        }
        CaptureFrames found = CaptureFrames.read(from, LONGEST, FrameSource.mostBytes());
        leftOut = FrameSource.leftOut(found, LONGEST);
        if (found.frames().isEmpty()) {
            throw new Failure(from + " has no whole frame of at most " + LONGEST + " bytes; left out: " + leftOut);
        }
        return found.frames();
    }

    private PacketProcessor processor(String name, List<String> searched) {
        if (!name.equals("log monitor") && patterns != null) {
            throw new Misuse("--patterns is for log-monitor");
        }
        return switch (name) {
            case "copy" -> AppRun.COPY;
            case "log monitor" -> new LogMonitor(new PatternSet(searched, loose));
            default -> SampleApps.processor(name, file);
        };
    }

    private static List<String> patterns(Path from) throws IOException {
        return Files.readAllLines(from, StandardCharsets.ISO_8859_1).stream().filter(line -> !line.isBlank()).toList();
    }
}
