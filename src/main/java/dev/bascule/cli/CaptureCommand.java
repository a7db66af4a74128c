package dev.bascule.cli;

import dev.bascule.app.CardTimes;
import dev.bascule.app.Probe;
import dev.bascule.app.Recorder;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.registry.Durations;
import dev.bascule.run.Delivery;
import dev.bascule.run.Running;
import dev.bascule.run.Summary;
import dev.bascule.run.TrafficWire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes received packets to a file. */
@Command(name = "capture", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Writes every packet that a port of a card receives to a pcapng file (pcap if its name ends so), with the time "
                + "at which the card saw it. Wireshark opens it. Ends with --duration, --count or Ctrl-C.",
        "On the loopback card a station behind the port sends." }, footer = { "", "Examples:",
                "  bascule capture -w out.pcapng --count 1000",
                "  bascule capture -w out.pcapng --duration 10s --rate 100",
                "  bascule capture -w - --count 100 | tshark -r -", "",
                "Says how many frames were sent, came and were lost, and where; the exit status is 1 if any was." })
final class CaptureCommand extends CommandBase {
    private static final long RATE = 10_000;
    private static final NicOptions OPTIONS = NicOptions.DEFAULTS.withRingEntries(1024).withMaxFrameBytes(9214)
            .withTimestamps();

    @Mixin
    private CardSetup setup = new CardSetup();

    @Option(names = { "-w",
            "--write" }, required = true, paramLabel = "FILE", description = "file to write; - is standard output, and the summary goes to standard error")
    private Path file = Path.of("");

    @Mixin
    private PortOption port = new PortOption();

    @Range("0..")
    @Option(names = "--count", paramLabel = "N", description = "end after so many packets")
    private long count;

    @Range("0s..")
    @Option(names = "--duration", defaultValue = "0s", paramLabel = "TIME", description = "end after this time")
    private String duration = "0s";

    @Range("0..")
    @Option(names = "--rate", paramLabel = "N", description = "loopback: packets per second, lost"
            + " where the card has no room; default: 10000, each of which waits for room")
    private @Nullable Long rate;

    @Range("58..9214")
    @Option(names = "--size", defaultValue = "64", paramLabel = "BYTES", description = "loopback: length of frames; default ${DEFAULT-VALUE}")
    private int size = 64;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        CardOption card = setup.card();
        TrafficWire station = rate == null
                ? new TrafficWire(Probe.frame(size), RATE, count, null).patient()
                : new TrafficWire(Probe.frame(size), rate, count, null);
        List<WireEnd> wires = port.number() == 0 ? List.of(station, WireEnd.OPEN) : List.of(WireEnd.OPEN, station);
        try (NicAdapter adapter = setup.open(wires);
                CaptureWriter writer = CaptureWriter.create(file, List.of("port " + port.of(adapter)))) {
            Nic nic = adapter.openPort(port.number(), OPTIONS);
            nic.start();
            setup.link().await(List.of(nic));
            station.start();
            CardTimes times = new CardTimes(adapter.clockNanos().orElse(0), machineNanos());
            Recorder recorder = new Recorder(nic.rxQueue(0), writer, times, 64);
            try (Running running = new Running(Durations.parseNanos(duration), () -> check(adapter, writer, times),
                    () -> "captured %,d packets".formatted(recorder.packets()))) {
                running.until(() -> count != 0 && (recorder.packets() >= count || station.isSilent()), recorder::run);
                Summary summary = new Summary().put("card", card.label()).put("file", file.toString());
                Supplier<Losses> losses = () -> card.losses().plus(Delivery.byPorts(List.of(nic), card.isLoopback()));
                Delivery delivery = new Delivery(recorder.packets() + losses.get().total(), recorder.packets(),
                        losses.get());
                if (card.isLoopback()) {
                    delivery = Delivery.afterAll(station, recorder::packets, losses, recorder::run);
                    summary.put("sent to the port", delivery.sent());
                }
                delivery.describe(summary);
                writer.flush();
                summary.put("packets", recorder.packets()).put("bytes", recorder.bytes())
                        .put("stamped by the card", recorder.packets() - recorder.unstamped())
                        .put("lost, no room", nic.statistics().getOrDefault("rx_no_room", 0L))
                        .put("seconds", running.seconds()).print(beside(file), json);
                return running.status(delivery.status());
            }
        }
    }

    private static long machineNanos() {
        return System.currentTimeMillis() * 1_000_000L;
    }

    /** A file that is full is said when it is, not when a buffer is; a clock that somebody has set is followed. */
    private void check(NicAdapter adapter, CaptureWriter writer, CardTimes times) {
        setup.check(adapter);
        adapter.clockNanos().ifPresent(card -> times.compare(card, machineNanos()));
        try {
            writer.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }
}
